// Known answers that others have published, by value. Each is compared with node:crypto when loaded.
import { strict as assert } from 'node:assert'
import { hex, hmac } from './kit.js'

/** conformance/contract.json, which the provider ships with its SDKs. */
export const CONTRACT = delivery({
  secret: 'whsec_test_secret',
  t: '1700000000',
  body: '{"event_id":"evt_123","event_type":"invoice.paid","version":1,"occurred_at":1700000000,"data":{"invoice_id":"inv_123"}}',
  v1: '8f62822925c2d12af1b822edcc1e9392ce064c20d003cbbc11f131485348005b',
})
export const CONTRACT_HEADER =
  't=1700000000,v1=ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff,v1=8f62822925c2d12af1b822edcc1e9392ce064c20d003cbbc11f131485348005b'
export const CONTRACT_EVENT = {
  id: 'evt_123',
  type: 'invoice.paid',
  known: true,
  version: '1',
  occurredAt: '1700000000',
  resource: { kind: 'invoice', id: 'inv_123' },
}

/** The unit tests of the provider's TypeScript SDK. */
export const TYPESCRIPT_INVOICE = delivery({
  secret: 'whsec_test',
  t: '1700000000',
  body: '{"event_id":"evt_1","event_type":"invoice.paid","version":1,"occurred_at":1700000000,"data":{"invoice_id":"inv_1"}}',
  v1: '65aa4d4738ad233e361a65889511d949f2147a41bde6564ee5301918d98e458a',
})
export const TYPESCRIPT_NO_VERSION = delivery({
  secret: 'whsec_test',
  t: '1700000000',
  body: '{"event_id":"evt_1","event_type":"invoice.paid","data":{}}',
  v1: '82288c6d9302ac4aceb8e22a9b830c83c6ea0da35a2a1716b4b368bebf1879d5',
})
export const TYPESCRIPT_DEPOSIT = delivery({
  secret: 'whsec_test',
  t: '1700000000',
  body: '{"event_id":"evt_2","event_type":"payment_channel.deposit.confirmed","version":1,"occurred_at":1700000000,"data":{"id":"pcd_9","payment_channel_id":"pc_1","project_id":"prj_1","payment_channel_external_id":"customer-42","status":"confirmed","is_final":true,"is_test":false,"currency":"TRX","network":"TRC20","chain_id":728126428,"gross":"100.00","fee":"1.00","net":"99.00","applied_fee_percent":1,"customer_fee_percent":0,"tx_hash":"9a2f1c","transfer_id":"trf_1","destination_address":"TChannelAddress","block_height":60000000,"created_at":1700000000,"updated_at":1700000100,"confirmed_at":1700000100}}',
  v1: 'fba85cb447a7d0eb1bebeea613aa0f0913136db33aa5c4aca80fd22c87d4231e',
})

/** The unit tests of the provider's PHP SDK. */
export const PHP_EVENT = delivery({
  secret: 'whsec_test_secret',
  t: '1739281200',
  body: '{"event_id":"evt_123","type":"invoice.paid"}',
  v1: '8b564fe7f71978c5b1846d7e95de082483763595db34338b2b7beb95c75ad764',
})
export const PHP_SANDBOX = delivery({
  secret: 'whsec_test',
  t: '1709000000',
  body: '{"event_id":"evt_sandbox","event_type":"invoice.paid","data":{"is_test":true}}',
  v1: 'd06a21d892623ef949a31fe97a9985d0ed7b27995e7155e054837b23a3025003',
})
export const PHP_OTHER_SECRET = delivery({
  secret: 'whsec_other',
  t: '1709000000',
  body: '{"event_id":"evt_bad","event_type":"invoice.paid"}',
  v1: 'aeeff8f1a0b1df35c76b02b58afc0237accb305bade9cfaa4dca45aaec096b03',
})
export const PHP_SAME_SECRET = delivery({
  secret: 'whsec_same',
  t: '1709000000',
  body: '{"event_id":"evt_ambiguous","event_type":"invoice.paid"}',
  v1: '11b951d4703db5a701db802da3f61c826371e169f15173ed57046fa0c1ecdf43',
})
export const PHP_LIVE = delivery({
  secret: 'whsec_live',
  t: '1709000000',
  body: '{"event_id":"evt_duplicate","event_type":"invoice.paid"}',
  v1: '7f3b06e14dea1d64e3ef50f1b94ea2c5c8949f75dd564965e8be75a678d74e4b',
})

/** RFC 4231, sections 4.2 to 4.8. Of test case 5 the RFC prints the first 128 bits only. */
export const RFC4231 = {
  1: answer({
    key: hex('0b'.repeat(20)),
    message: 'Hi There',
    mac: 'b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7',
  }),
  2: answer({
    key: 'Jefe',
    message: 'what do ya want for nothing?',
    mac: '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
  }),
  3: answer({
    key: hex('aa'.repeat(20)),
    message: hex('dd'.repeat(50)),
    mac: '773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe',
  }),
  4: answer({
    key: hex('0102030405060708090a0b0c0d0e0f10111213141516171819'),
    message: hex('cd'.repeat(50)),
    mac: '82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b',
  }),
  5: answer({
    key: hex('0c'.repeat(20)),
    message: 'Test With Truncation',
    mac: 'a3b6167473100ee06e0c796c2955552b',
  }),
  6: answer({
    key: hex('aa'.repeat(131)),
    message: 'Test Using Larger Than Block-Size Key - Hash Key First',
    mac: '60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54',
  }),
  7: answer({
    key: hex('aa'.repeat(131)),
    message:
      'This is a test using a larger than block-size key and a larger than block-size data. The key needs to be hashed before being used by the HMAC algorithm.',
    mac: '9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2',
  }),
}

/** GitHub documentation, "Validating webhook deliveries". */
export const GITHUB_DOCS = answer({
  key: "It's a Secret to Everybody",
  message: 'Hello, World!',
  mac: '757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17',
})

/** The example of the Standard Webhooks reference libraries; published in base64. */
export const STANDARD_WEBHOOKS = message({
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  t: '1614265330',
  body: '{"test": 2432232314}',
  signature: 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
})

function delivery(literal) {
  assert.equal(hmac(literal.secret, `${literal.t}.${literal.body}`), literal.v1)
  return { ...literal, header: `t=${literal.t},v1=${literal.v1}` }
}

function answer(literal) {
  assert.equal(hmac(literal.key, literal.message).slice(0, literal.mac.length), literal.mac)
  return literal
}

function message({ secret, id, t, body, signature }) {
  const { key, message, mac } = answer({
    key: Buffer.from(secret.replace('whsec_', ''), 'base64'),
    message: `${id}.${t}.${body}`,
    mac: Buffer.from(signature.replace('v1,', ''), 'base64').toString('hex'),
  })
  return { secret, id, t, body, signature, key, message, mac }
}
