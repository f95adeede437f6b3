import { InvalidArgumentError } from 'commander'
import { parseTime } from './parse-time.ts'

/** By the file's name: NDJSON if it says so, else CSV. */
export function formatOf(path: string): 'csv' | 'ndjson' {
  return /\.(ndjson|jsonl|json)(\.gz)?$/i.test(path) ? 'ndjson' : 'csv'
}

/** A tab is awkward to type as itself. */
export function parseSeparator(text: string): string {
  if (text === '\\t' || text === 'tab') return '\t'
  if (text === '' || /["\r\n]/.test(text)) {
    throw new InvalidArgumentError('It must be one or more characters, without quotes and line breaks.')
  }
  return text
}

export function parseUntil(text: string): number {
  const time = parseTime(text.trim())
  if (time === null) throw new InvalidArgumentError('It must be a time such as 2026-01-31T09:30:00Z.')
  return time
}
