import type { Diagnosis } from '../scenario.ts'

// What several scenarios find. Each says no more than what is seen where it is chosen.

export const ONE_TRANSACTION =
  'in ONE transaction: begin; first insert the event id (on conflict do nothing); 0 rows inserted: answer 200 and stop; else do the work; commit both together, then answer 200. Do not commit the id by itself before the work: a run that fails would then be lost'
const DUE_ROW =
  'do the work and store the id in one transaction, then answer 200; or commit a row that is due, answer, and let a worker take due rows, again after an error and at start-up. A thread or a queue in memory is not enough'
export const GUARD =
  'let one statement decide, in the transaction that books: update … set booked where id = the resource and not booked, or an insert under a unique key on the resource; ship only if it changed a row'
const SIGNED_TIME = 'compare the time in the signature header with the clock, and never occurred_at'
export const RANK =
  'compare final, occurred_at and the rank of the status, in this order, in the statement that writes'

export const NOTHING_BOOKED: Diagnosis = {
  cause: 'it answered 2xx, and nothing was booked',
  fix: 'answer 2xx only once the delivery is committed to a table, and see why the work behind it did not run',
}

export const BOOKS_TWICE: Diagnosis = {
  cause: 'one delivery books more than once',
  fix: 'look for two handlers, or two workers, that take the same event',
}

export const BOOKED_AGAIN: Diagnosis = {
  fault: 'memory',
  cause: 'the same delivery is worked on again: nothing remembers its event id',
  fix: ONE_TRANSACTION,
}

export const NO_GUARD: Diagnosis = {
  fault: 'guard',
  cause: 'each event about a resource books: nothing stops a second booking of the same resource',
  fix: GUARD,
}

export const BOOKS_EARLY: Diagnosis = {
  fault: 'early',
  cause: 'an event that is not final books',
  fix: 'book for the types that mean paid alone, and look at is_final',
}

export const REGRESSED: Diagnosis = {
  fault: 'regress',
  cause: 'an older event that comes late overwrites what a newer one said',
  fix: RANK,
}

/** It looks the id up, and is not alone before it stores it. */
export const CHECK_THEN_ACT: Diagnosis = {
  fault: 'transaction',
  cause:
    'it checks whether the id is known, works, and stores the id only afterwards; copies that arrive meanwhile find it unknown, and work, too',
  fix: ONE_TRANSACTION,
}

export const CHECK_THEN_ANSWER: Diagnosis = {
  fault: 'transaction',
  cause:
    'it checks whether the id is known and stores it in two steps; copies that arrive between the two find it unknown, and each starts work',
  fix: 'put a unique key on the event id, and insert it with the work that is due in one statement, before the answer; 0 rows inserted: answer 200 and stop',
}

export const NOT_TOGETHER: Diagnosis = {
  fault: 'transaction',
  cause:
    'the booking was committed and the id was not yet when the process died, so the retry booked again',
  fix: ONE_TRANSACTION,
}

export const ID_FIRST: Diagnosis = {
  fault: 'transaction',
  cause:
    'the id is stored before the work is done, and stays when the work is not; the retry was answered 200 as a repeat, and nothing did the work',
  fix: ONE_TRANSACTION,
}

export const ANSWERED_UNDONE: Diagnosis = {
  fault: 'transaction',
  cause:
    'a retry was answered 2xx before the first run was done: the id is stored before the work, so nothing tries again if that run fails',
  fix: ONE_TRANSACTION,
}

export const IN_FLIGHT: Diagnosis = {
  fault: 'transaction',
  cause:
    'a retry that met the running first run was answered 2xx, so the sender was done; that run did not end, and nothing tries again',
  fix: 'answer a copy 2xx only once the first run is committed: let it wait for the lock on the row of the event id, or answer 503 and the sender comes again. No list in memory of what is in progress can answer for work that may fail',
}

export const ANSWERS_BEFORE_WORK: Diagnosis = {
  fault: 'answer',
  cause: 'it answers 2xx before the work is done; when that fails afterwards, nothing tries again',
  fix: DUE_ROW,
}

export const LOST_IN_MEMORY: Diagnosis = {
  fault: 'answer',
  cause:
    'it answered 2xx before the work was done; the process died then, and nothing took the work up again',
  fix: DUE_ROW,
}

export const SWALLOWED: Diagnosis = {
  fault: 'swallowed',
  cause: 'the work failed before the answer, and the answer was 2xx all the same',
  fix: 'let the error through: roll back and answer 500, and the sender comes again',
}

export const TAKEN_FOR_REPEAT: Diagnosis = {
  fault: 'key',
  cause:
    'the booking event arrived, was acknowledged and ignored: an earlier event about the same resource was accepted, so a second event about one resource is taken for a repeat',
  fix: 'use the event id as the key for duplicates, and the resource id for the guard at the booking alone',
}

export const SHARED_KEY: Diagnosis = {
  fault: 'key',
  cause:
    'payments of one type in one second were all acknowledged and only some booked: the others are taken for repeats, by a key such as type and time',
  fix: 'use the event id of the signed body as the key for duplicates, and nothing else',
}

export const BY_HEADER: Diagnosis = {
  fault: 'key',
  cause:
    'the delivery is known by its id header, which is not signed: whoever captures one can send it again under another',
  fix: 'use the event id of the signed body as the key for duplicates',
}

export const BY_HAND: Diagnosis = {
  cause:
    'support had booked it by hand, and the resend booked it again; two webhooks do not, so the guard does not see what is booked by hand',
  fix: 'let the webhook and support book through the same guard: one unique key on the resource, or one flag of it',
}

export const NOT_2XX: Diagnosis = {
  fault: 'repeat',
  cause:
    'a repeat is not answered with 2xx, so the sender goes on for 16 hours and then calls it failed',
  fix: 'answer 200 for a delivery that is known',
}

export const CONFLICT: Diagnosis = {
  fault: 'conflict',
  cause:
    'it is booked already, and another delivery about it ends in an error, which the sender repeats to the end of its ladder',
  fix: 'where the guard finds it booked (insert … on conflict do nothing, 0 rows), commit and answer 200',
}

export const EVENT_TIME: Diagnosis = {
  fault: 'clock',
  cause:
    'a delivery that is signed now is refused because its event is old: the time of the event is compared with the clock',
  fix: SIGNED_TIME,
}

export const OLD_IGNORED: Diagnosis = {
  fault: 'clock',
  cause: 'an event that is old was answered with 2xx and ignored',
  fix: SIGNED_TIME,
}

export const NOT_VERIFIED: Diagnosis = {
  fault: 'verification',
  cause: 'nothing is verified: a delivery that another secret has signed is accepted',
  fix: 'verify before anything else, over the raw bytes, and answer 401 to what does not match',
}
