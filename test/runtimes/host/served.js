import { within, withProgram } from './processes.js'

/**
 * Runs a program that prints the URLs it serves, as one line of JSON, for as long as `use` takes.
 * @template T
 * @param {string} command
 * @param {readonly string[]} args
 * @param {string} folder
 * @param {(urls: { http: string, http2?: string }) => Promise<T>} use
 * @returns {Promise<T>}
 */
export function withServer(command, args, folder, use) {
  const serve = async ({ child, ended, text, errors }) => {
    const line = new Promise((resolve) => {
      child.stdout.on('data', () => text().includes('\n') && resolve(text()))
    })
    const died = ended.then(() => Promise.reject(new Error(`${command} ended:\n${errors()}`)))
    return use(JSON.parse(await within(30, Promise.race([line, died]), command)))
  }
  return withProgram(command, args, serve, { cwd: folder })
}
