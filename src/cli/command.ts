import type { Arguments, OptionTable } from './arguments.ts'

export interface Command {
  readonly options: OptionTable
  readonly help: string
  /** Whether another program's command line may stand behind `--`. */
  readonly takesProgram?: boolean
  /**
   * Resolves to the exit status. Throws `UsageError` or `WebhookConfigError` for what the caller
   * can put right.
   */
  run(args: Arguments, program: readonly string[]): Promise<number>
}

export const SECRET_HELP = `Secrets, any of which may match (default: --secret-env HOOKPROOF_SECRET):
  --secret-env NAME    an environment variable; may be repeated
  --secret-file PATH   a file without its last line break, - for standard input; may be repeated`

export const SENDING_SECRET_HELP = `  --secret-env NAME    the environment variable with the receiver's secret
                       (default: HOOKPROOF_SECRET)
  --secret-file PATH   or a file without its last line break, - for standard input`
