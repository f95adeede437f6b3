import { spreadsheetField } from '../../../../src/kernel/text.ts'
import { localTime } from '../../../../src/kernel/time-zone.ts'
import type { BulkRun, Target } from './bulk-run.ts'

/** Browsers have read the file by then. */
const REVOKE_URL_AFTER_MS = 10_000

/** Downloads a CSV file with one line per target. The file name has the current time in the account's time zone.
 */
export function downloadReport(run: BulkRun, timeZone: string): void {
  const time = localTime(new Date(), timeZone).slice(0, 'YYYY-MM-DDTHH:MM:SS'.length).replaceAll(':', '')
  const url = URL.createObjectURL(new Blob([reportCsv(run)], { type: 'text/csv' }))
  const link = document.createElement('a')
  link.href = url
  link.download = `bulk-submission-${time}.csv`
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), REVOKE_URL_AFTER_MS)
}

type Columns = Record<string, (target: Target) => string | null>

function reportCsv({ kind, event, targets }: BulkRun): string {
  const columns: Columns = {
    [kind === 'claims' ? 'claim_id' : 'candidate_alias']: ({ name }) => name,
    ...(kind === 'claims' ? { reference: ({ reference }) => reference } : {}),
    result: ({ result }) => result,
    status: ({ status }) => status,
    scheduled_outcome: ({ scheduledOutcome }) => scheduledOutcome,
    code: ({ code }) => code,
    message: ({ message }) => message,
    event_id: () => event.id,
    event_type: () => event.type,
  }
  const lines = targets.map((target) => Object.values(columns).map((read) => read(target) ?? ''))
  return [Object.keys(columns), ...lines].map(toLine).join('')
}

const toLine = (fields: readonly string[]): string =>
  `${fields.map((field) => `"${spreadsheetField(field).replaceAll('"', '""')}"`).join(',')}\r\n`
