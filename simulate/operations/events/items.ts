import { type Client, outcomeOf } from '../../clients/client.ts'
import type { Reply } from '../../clients/http-connection.ts'
import type { ClaimRecord } from '../../clients/records.ts'
import type { Submission } from '../../model/claim-history.ts'
import { assert } from '../../model/finding.ts'
import type { JsonObject } from '../../model/json.ts'
import { isContentOf } from '../../model/known-log.ts'
import type { LogItem } from '../../model/replay.ts'
import { readVerdict } from './read-verdict.ts'
import { addressOf, bodyOf, type Draft, recordOutcome } from './submit-event.ts'

/** A submission of a batch. */
export interface Item {
  record: ClaimRecord
  submission: Submission
}

/** @param batch the batch, which keeps the order within a claim */
export function itemOf(record: ClaimRecord, draft: Draft, source: string, batch?: number): Item {
  const submission: Submission = {
    ...draft,
    source,
    sentAt: 0,
    answeredAt: Infinity,
    verdict: { kind: 'unknown', why: 'under way' },
    ...(batch === undefined ? {} : { batch }),
  }
  record.submissions.push(submission)
  return { record, submission }
}

export const argumentsOf = ({ record, submission }: Item): JsonObject => ({
  ...addressOf(record),
  ...bodyOf(submission),
})

/** The response to `Prefer: return=minimal` does not distinguish a repeat from a record. */
export function recordResult(
  client: Client,
  { record, submission }: Item,
  result: JsonObject,
  at: number,
): void {
  const status = Number(result.status)
  const about = () => ({ submission, result })
  const isFault = status === 500 && !client.hadFault(submission.sentAt, at)
  assert(!isFault, () => `${record.name}: an item of a batch was answered 500`, about)
  const isItsOwn = !result.event || isAnswerTo(submission, result.event as LogItem)
  assert(isItsOwn, () => `${record.name}: an item has the response of another item`, about)
  submission.verdict =
    status === 204
      ? { kind: 'replayed', event: null, state: null, lateBy: null }
      : readVerdict(record, status, result, client.mayHaveLostDatabase(submission.sentAt, at))
  if (submission.verdict.kind !== 'unknown') submission.answeredAt = at
  recordOutcome(client, record, submission)
}

const isAnswerTo = (submission: Submission, event: LogItem) =>
  (submission.id === null || submission.id === event.id) && isContentOf(event, submission)

/** An item without a response. */
export function recordMissingResult(client: Client, { record, submission }: Item, reply: Reply): void {
  const isRefused = reply.kind === 'not sent' || (reply.kind === 'answer' && outcomeOf(reply) === 'refused')
  submission.verdict = isRefused
    ? { kind: 'refused', status: reply.kind === 'answer' ? reply.status : 0 }
    : { kind: 'unknown', why: reply.kind === 'lost' ? reply.why : 'the stream is incomplete' }
  recordOutcome(client, record, submission)
}
