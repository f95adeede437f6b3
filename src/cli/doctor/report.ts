import { styleText } from 'node:util'
import type { Header } from '../../backup/backup-format.ts'
import type { Finding } from '../../doctor/finding.ts'
import { printable, printableJson } from '../../platform/terminal/printable.ts'
import { formatStyledTable } from '../../platform/terminal/table.ts'
import { contentsInWords } from '../backup/contents-in-words.ts'

const COLOURS = { ok: 'green', warning: 'yellow', fault: 'red' } as const
/** Characters of a line of the widest column. */
const WIDTH = 72

/** What was found, in a table; and the point that a backup recovers to. */
export function reportTable(findings: readonly Finding[], contents: Header | null): string {
  const rows = findings.map(({ what, status, found, advice }) => [
    what,
    styleText(COLOURS[status], status, { stream: process.stdout }),
    inLines(printable(advice === null ? found : `${found}. ${advice}`)),
  ])
  const table = formatStyledTable(['Looked at', '', 'Found'], rows)
  return contents === null ? table : `${table}\n${contentsInWords(contents)}`
}

/** The same for programs. */
export function reportJson(findings: readonly Finding[], contents: Header | null): string {
  const isWell = findings.every(({ status }) => status !== 'fault')
  const report = {
    ok: isWell,
    checks: findings,
    ...(contents === null ? {} : { recovers_to: inSnakeCase(contents) }),
  }
  return printableJson(JSON.stringify(report, null, 2))
}

const inSnakeCase = ({ takenAt, migration, claimkeeper, claims, lastEvent, lastNotification }: Header) => ({
  taken_at: takenAt,
  migration,
  claimkeeper,
  claims,
  last_event: lastEvent,
  last_notification: lastNotification,
})

/** Broken between words. */
function inLines(text: string): string {
  const lines: string[] = ['']
  for (const word of text.split(' ')) {
    const line = lines.at(-1) as string
    if (line !== '' && line.length + 1 + word.length > WIDTH) lines.push(word)
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`
  }
  return lines.join('\n')
}
