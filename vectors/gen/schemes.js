import github from './recipes/github/index.js'
import meta from './recipes/meta/index.js'
import paymos from './recipes/paymos/index.js'
import standardWebhooks from './recipes/standard-webhooks/index.js'
import stripe from './recipes/stripe/index.js'

/** Each with its groups, in the order in which a verifier works. */
export const SCHEMES = [paymos, stripe, standardWebhooks, github, meta]
