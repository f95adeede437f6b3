import type { Answer } from './api-client.ts'

/** A claim or candidate as the response to a submission contains it: without its log and its metadata. */
export function asAnswered(record: Answer['body']): Answer['body'] {
  const { events: _, metadata: __, ...shown } = record
  return shown
}
