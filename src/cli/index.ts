#!/usr/bin/env node
import { WebhookConfigError } from '../core/errors.ts'
import { COMMON_OPTIONS, has, readArguments, wantsJson } from './arguments.ts'
import type { Command } from './command.ts'
import { conformanceCommand, conformanceCommands } from './conformance.ts'
import { guardStreams, jsonLine, note, print } from './output.ts'
import { proveCommand } from './prove.ts'
import { sendCommand } from './send.ts'
import { signCommand } from './sign.ts'
import { misuse, UsageError } from './usage-error.ts'
import { verifyCommand } from './verify.ts'
import { version } from './version.ts'

const COMMANDS: ReadonlyMap<string, Command> = new Map([
  ['verify', verifyCommand],
  ['sign', signCommand],
  ['send', sendCommand],
  ['prove', proveCommand],
])

const COMMAND_LIST = `Commands:
  verify [FILE]  is this saved delivery genuine, and if not, why?
  sign [FILE]    the headers under which a receiver accepts this body
  send TYPE      one signed delivery to a receiver, and what it answers
  prove URL      does a receiver book once, however often a delivery comes?
  conformance    the vectors for verifiers in any language`

const HELP = `hookproof: checks, makes and sends signed webhook deliveries

${COMMAND_LIST}

hookproof COMMAND --help says more; hookproof --version says which release this is.

Example:
  hookproof verify delivery.http --secret-file secret.txt`

const LINGER_MS = 250

guardStreams()
process.exitCode = await run(process.argv.slice(2))
// Fires only if something else keeps the process, such as a module's pool of connections.
setTimeout(() => process.exit(), LINGER_MS).unref()

async function run(argv: readonly string[]): Promise<number> {
  const { command, rest } = commandOf(argv)
  try {
    if (command === undefined) return withoutCommand(argv)
    const end = command.takesProgram ? rest.indexOf('--') : -1
    const own = end < 0 ? rest : rest.slice(0, end)
    const args = readArguments(own, command.options, command.takesProgram)
    if (has(args, 'help')) print(command.help)
    else if (has(args, 'version')) print(version())
    else return await command.run(args, end < 0 ? [] : rest.slice(end + 1))
    return 0
  } catch (error) {
    // Where `--json` takes a value, it is a file.
    return failed(error, command?.options.json !== 'value' && wantsJson(argv))
  }
}

/** The command by its name of one word or two, and what stands behind it. */
function commandOf([name = '', ...rest]: readonly string[]) {
  if (name !== 'conformance') return { command: COMMANDS.get(name), rest }
  const command = conformanceCommands.get(rest[0] ?? '')
  return command ? { command, rest: rest.slice(1) } : { command: conformanceCommand, rest }
}

function withoutCommand(argv: readonly string[]): number {
  const { help, version: versionKind, json } = COMMON_OPTIONS
  if (argv[0]?.startsWith('-')) {
    const args = readArguments(argv, { help, version: versionKind, json })
    if (has(args, 'help')) {
      print(HELP)
      return 0
    }
    if (has(args, 'version')) {
      print(version())
      return 0
    }
  }
  // Quoted only if it looks like a command: it may be anything, a secret as well.
  const unknown = /^[a-z]{1,12}$/u.test(argv[0] ?? '') ? `no command ${argv[0]}` : 'name a command'
  return misuse('command_unknown', `${unknown}\n\n${COMMAND_LIST}`)
}

/** A mistake in one line, or in one JSON object, without a stack trace. */
function failed(error: unknown, json: boolean): number {
  const known = error instanceof UsageError || error instanceof WebhookConfigError
  const code = known ? error.code : 'internal_error'
  // The text of an unforeseen error could hold anything.
  const message = known ? error.message : 'an error of hookproof itself; please report it'
  if (json) print(jsonLine(JSON.stringify({ error: { code, message } })))
  else note(message)
  return 2
}
