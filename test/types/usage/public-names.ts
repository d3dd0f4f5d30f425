// Every exported name, used once: one that disappears, or that became any, does not compile.
import type * as root from 'hookproof'
import type * as sync from 'hookproof/sync'

type Named = [
  root.Accepted<1>,
  root.BaseOptions,
  root.BaseSignOptions,
  root.BodylessRequest,
  root.ByteReader,
  root.ByteStream,
  root.ConfigErrorCode,
  root.Decoded<1>,
  root.Delivery,
  root.HeaderLookup,
  root.HeaderReader,
  root.HeadersInput,
  root.HmacEngine,
  root.HmacKey,
  root.KnownPaymosEvent,
  root.PaymosDeposit,
  root.PaymosDepositEventType,
  root.PaymosEnvelope<'a', 1>,
  root.PaymosEvent,
  root.PaymosEventOf<'invoice.paid'>,
  root.PaymosEventType,
  root.PaymosInvoice,
  root.PaymosInvoiceEventType,
  root.PaymosTransfer,
  root.PaymosWithdrawal,
  root.PaymosWithdrawalEventType,
  root.RawBody,
  root.Reason,
  root.RefusalStatus,
  root.Rejected,
  root.RequestParts,
  root.SchemaResult<1>,
  root.Scheme<1>,
  root.Secret,
  root.SignDraft,
  root.SignedHeaders,
  root.SignedParts,
  root.Signer,
  root.SignOptions,
  root.Stage,
  root.StampedDraft,
  root.StandardSchema<1>,
  root.SyncHmacEngine,
  root.SyncHmacKey,
  root.UnlistedEventType,
  root.UnlistedPaymosEvent,
  root.Verdict<1>,
  root.Verifier<1>,
  root.VerifyOptions,
  root.Warning,
  root.WebhookConfigError,
  root.WebhookInput,
  root.WebhookVerificationError,
  sync.SyncSigner,
  sync.SyncSignOptions,
  sync.SyncVerifier<1>,
  sync.SyncVerifyOptions,
  sync.SyncWebhookInput,
]

type AnyOf<List extends readonly unknown[]> = {
  [Index in keyof List]: IsAny<List[Index]>
}[number]
check<Equal<AnyOf<Named>, false>>()

// What a function of either face takes and gives can be named from that face alone.
check<Equal<sync.Verdict<1>, root.Verdict<1>>>()
check<Equal<sync.Accepted<1>, root.Accepted<1>>>()
check<Equal<sync.Secret, root.Secret>>()
check<Equal<sync.PaymosEvent, root.PaymosEvent>>()
check<Equal<sync.SyncHmacEngine, root.SyncHmacEngine>>()
check<Equal<sync.SignDraft, root.SignDraft>>()
check<Equal<sync.Reason, root.Reason>>()

check<Equal<Parameters<typeof root.verify>[0], root.WebhookInput>>()
check<Equal<Parameters<typeof sync.verifySync>[0], sync.SyncWebhookInput>>()
check<Equal<ReturnType<typeof root.createSigner>, root.Signer>>()
