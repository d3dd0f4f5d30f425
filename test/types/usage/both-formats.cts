// One program that holds the ES module's types and the CommonJS ones: they must be the same types.
import type * as esm from 'hookproof' with { 'resolution-mode': 'import' }
import type * as cjs from 'hookproof' with { 'resolution-mode': 'require' }
import type * as esmNode from 'hookproof/node' with { 'resolution-mode': 'import' }
import type * as cjsNode from 'hookproof/node' with { 'resolution-mode': 'require' }
import type * as esmSync from 'hookproof/sync' with { 'resolution-mode': 'import' }
import type * as cjsSync from 'hookproof/sync' with { 'resolution-mode': 'require' }
import type * as esmWorkers from 'hookproof/workers' with { 'resolution-mode': 'import' }
import type * as cjsWorkers from 'hookproof/workers' with { 'resolution-mode': 'require' }

type Both<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false

check<Both<typeof esm, typeof cjs>>()
check<Both<typeof esmSync, typeof cjsSync>>()
check<Both<typeof esmNode, typeof cjsNode>>()
check<Both<typeof esmWorkers, typeof cjsWorkers>>()
check<Both<esm.Verdict<esm.PaymosEvent>, cjs.Verdict<cjs.PaymosEvent>>>()
check<Both<esm.Scheme<esm.PaymosEvent>, cjs.Scheme<cjs.PaymosEvent>>>()
check<Both<esm.VerifyOptions, cjs.VerifyOptions>>()
check<Both<esm.WebhookInput, cjs.WebhookInput>>()
check<Both<esm.HmacEngine, cjs.HmacEngine>>()
check<Both<esm.StandardSchema<number>, cjs.StandardSchema<number>>>()
check<Both<esm.WebhookConfigError, cjs.WebhookConfigError>>()
check<Both<esm.WebhookVerificationError, cjs.WebhookVerificationError>>()
check<Both<esmSync.SyncVerifyOptions, cjsSync.SyncVerifyOptions>>()
// The two files of one format share their types too.
check<Equal<esm.Rejected, esmSync.Rejected>>()

some<esm.Verdict<esm.PaymosEvent>>() satisfies cjs.Verdict<cjs.PaymosEvent>
some<cjsSync.SyncVerifyOptions>() satisfies esm.VerifyOptions
