import { spawn } from 'node:child_process'

const running = new Set()
process.on('exit', () => {
  for (const child of running) kill(child, 'SIGKILL')
})
// So that the line above runs then, too.
process.once('SIGTERM', () => process.exit(143))

/**
 * Runs a program for as long as `use` takes, and ends it with everything it started.
 * @template T
 * @param {string} command
 * @param {readonly string[]} args
 * @param {(program: { child: import('node:child_process').ChildProcess, ended: Promise<number>, text: () => string, errors: () => string }) => Promise<T>} use
 * @param {import('node:child_process').SpawnOptions} [options]
 * @returns {Promise<T>}
 */
export async function withProgram(command, args, use, options = {}) {
  // A group of its own, so that it can be ended as one.
  const child = spawn(command, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    ...options,
    detached: true,
  })
  running.add(child)
  const ended = new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  ended.catch(() => {})
  const [text, errors] = [collect(child.stdout), collect(child.stderr)]
  try {
    return await use({ child, ended, text, errors })
  } finally {
    kill(child, 'SIGTERM')
    await within(3, ended, command).catch(() => {})
    kill(child, 'SIGKILL')
    running.delete(child)
  }
}

/**
 * Starts a server and waits for the line with the address it listens on.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {import('node:child_process').SpawnOptions} [options]
 * @returns {Promise<{ url: string, text: () => string, errors: () => string, end: () => Promise<void> }>}
 */
export async function startProgram(command, args, options) {
  return new Promise((started, failed) => {
    const use = async ({ ended, text, errors }) => {
      const url = await within(60, listeningOn({ ended, text, errors }), command)
      await new Promise((finish) => {
        const end = () => {
          finish()
          return over
        }
        started({ url, text, errors, end })
      })
    }
    const over = withProgram(command, args, use, options)
    over.catch(failed)
  })
}

/** The address in the line `listening on <url>`. */
async function listeningOn({ ended, text, errors }) {
  for (;;) {
    const [, url] = /listening on (http:\S+)/u.exec(text()) ?? []
    if (url !== undefined) return url.replace(/\/$/u, '')
    const over = await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, 20))])
    if (over !== undefined) throw new Error(`it ended with ${over}:\n${text()}${errors()}`)
  }
}

/**
 * What a program prints; throws with it when the program fails or takes too long.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {number} seconds
 * @param {string} folder
 * @returns {Promise<string>}
 */
export function outputOf(command, args, seconds, folder) {
  const use = async ({ ended, text, errors }) => {
    const code = await within(seconds, ended, command).catch((error) => error.message)
    if (code !== 0) throw new Error(`${command} ended with ${code}:\n${text()}${errors()}`)
    return text()
  }
  return withProgram(command, args, use, { cwd: folder })
}

/**
 * A promise that gives up.
 * @template T
 * @param {number} seconds
 * @param {Promise<T>} promise
 * @param {string} what
 * @returns {Promise<T>}
 */
export function within(seconds, promise, what) {
  let timer
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what}: not within ${seconds} s`)), seconds * 1000)
  })
  return Promise.race([promise, late]).finally(() => clearTimeout(timer))
}

function collect(stream) {
  let text = ''
  stream?.setEncoding('utf8').on('data', (chunk) => {
    text += chunk
  })
  return () => text
}

function kill(child, signal) {
  try {
    process.kill(-child.pid, signal)
  } catch {
    // Nothing of it is left.
  }
}
