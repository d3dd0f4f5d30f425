import type { GroupCounts, Report } from '../../dist/conformance/index.js'
import { ADAPTERS, type AdapterRow } from './adapters.ts'

const BEGIN = '<!-- written by npm run conformance -->'
const END = '<!-- end -->'

/**
 * The page with the rows of these reports in its tables. Those of an adapter that did not run stay as
 * they are.
 */
export function pageWithMatrix(page: string, reports: ReadonlyMap<AdapterRow, Report>): string {
  const [before = '', written = '', after = ''] = page.split(new RegExp(`${BEGIN}|${END}`, 'u'))
  const groups = groupsOf(reports, written)
  const tables = [...groups].map(([profile, names]) => {
    const rows = ADAPTERS.map((adapter) => {
      const report = reports.get(adapter)
      return report === undefined
        ? oldRow(written, profile, adapter)
        : newRow(report, profile, names, adapter)
    })
    const head = [`| ${profile} | ${names.join(' | ')} |`, `|---|${'--:|'.repeat(names.length)}`]
    return [...head, ...rows.filter((row) => row !== undefined)].join('\n')
  })
  return `${before}${BEGIN}\n\n${tables.join('\n\n')}\n\n${END}${after}`
}

/** The groups of each scheme, from a report that has all of them, else from the page. */
function groupsOf(
  reports: ReadonlyMap<AdapterRow, Report>,
  written: string,
): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>()
  for (const { profile, group } of reports.get(ADAPTERS[0] as AdapterRow)?.groups ?? []) {
    found.set(profile, [...(found.get(profile) ?? []), group])
  }
  if (found.size > 0) return found
  const heads = [...written.matchAll(/^\| ([a-z-]+) \| (.*) \|$/gmu)]
  return new Map(heads.map(([, profile = '', names = '']) => [profile, names.split(' | ')]))
}

function newRow(
  { groups }: Report,
  profile: string,
  names: readonly string[],
  { title }: AdapterRow,
): string | undefined {
  const mine = groups.filter((counts) => counts.profile === profile)
  if (mine.length === 0) return undefined
  const cells = names.map((name) => cell(mine.find(({ group }) => group === name)))
  return `| ${title} | ${cells.join(' | ')} |`
}

function cell(counts: GroupCounts | undefined): string {
  if (counts === undefined) return ''
  const { passed, failed, skipped } = counts
  const others = [failed > 0 && `${failed} failed`, skipped > 0 && `${skipped} skipped`]
  return [passed, ...others.filter((other) => other !== false)].join(', ')
}

function oldRow(written: string, profile: string, { title }: AdapterRow): string | undefined {
  const table = written.split(`| ${profile} |`)[1]?.split('\n\n')[0] ?? ''
  return table.split('\n').find((line) => line.startsWith(`| ${title} |`))
}
