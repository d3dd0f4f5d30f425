import { WebhookConfigError } from '../core/errors.ts'
import { checkUrl } from '../testing/by-url.ts'
import { type Arguments, optionValue } from './arguments.ts'
import { misuse } from './usage-error.ts'

export const ALLOW_HOST_HELP = `Deliveries go to this machine alone:
  --allow-host HOST    or to this host, if the URL names it`

/** The URL as it is sent to, if the options allow its host. */
export function readTargetUrl(
  args: Arguments,
  text: string,
): { readonly url: string; readonly isLoopback: boolean } {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^https?:$/u.test(url.protocol)) {
    misuse('url_invalid', 'deliveries go to an http or https URL')
  }
  try {
    return { url: url.href, ...checkUrl(url.href, optionValue(args, 'allow-host')) }
  } catch (error) {
    if (!(error instanceof WebhookConfigError)) throw error
    return misuse('url_invalid', optionWords(error.message))
  }
}

/** A mistake that a kit finds, in the words of the command line. */
export function optionWords(message: string): string {
  return message.replaceAll('allowHost', '--allow-host').replaceAll('limits.total', '--total')
}
