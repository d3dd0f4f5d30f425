import type { Scheme } from '../core/scheme.ts'
import { github, meta, paymos, standardWebhooks, stripe } from '../schemes/index.ts'
import { type Arguments, optionValue } from './arguments.ts'
import { misuse } from './usage-error.ts'

const SCHEMES: ReadonlyMap<string, Scheme<unknown>> = new Map<string, Scheme<unknown>>([
  ['paymos', paymos],
  ['stripe', stripe],
  ['standard-webhooks', standardWebhooks],
  ['github', github],
  ['meta', meta],
])

const NAMES = [...SCHEMES.keys()].join(', ')

export const SCHEME_HELP = `  --scheme NAME        the provider (default: paymos), one of:
                       ${NAMES}`

export function readScheme(args: Arguments): Scheme<unknown> {
  const name = optionValue(args, 'scheme')
  if (name === undefined) return paymos
  // As it is spelt in a verdict, too.
  const option = name === standardWebhooks.name ? 'standard-webhooks' : name
  return SCHEMES.get(option) ?? misuse('scheme_invalid', `--scheme takes one of ${NAMES}`)
}
