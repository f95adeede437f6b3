import { InvalidArgumentError } from 'commander'
import { isTimeZone } from '../../kernel/time-zone.ts'
import { UsageError } from '../../platform/terminal/usage-error.ts'
import { type TimeOptions, TimeReader } from './time-reader.ts'

export function parseTimeZone(name: string): string {
  if (isTimeZone(name)) return name
  throw new InvalidArgumentError('It must be the name of a time zone, such as Europe/Berlin.')
}

/** @throws UsageError if the text is not a time in the form of the log */
export function readUntil(text: string, options: TimeOptions): number {
  const reader = new TimeReader(options)
  const time = reader.read(text)
  if (Number.isNaN(time)) throw new UsageError(`--until: ${reader.explain(text)}`)
  return time
}
