import type { Client } from '../clients/client.ts'
import { outcomeOf, parse } from '../clients/client.ts'
import { now, type Reply } from '../clients/exchange.ts'
import type { Account, ClaimRecord } from '../clients/world.ts'
import { demand } from '../model/finding.ts'
import type { JsonObject } from '../model/json.ts'
import type { Submission } from '../model/story.ts'
import { readVerdict } from './read-verdict.ts'
import { addressOf, bodyOf, drawSubmission, noteVerdict } from './submit-event.ts'

interface Sent {
  record: ClaimRecord
  submission: Submission
}

let batches = 0

/** §4.3, a list of submissions to several claims. */
export async function submitBatch(
  client: Client,
  account: Account,
  records: readonly ClaimRecord[],
): Promise<void> {
  const isMinimal = client.random.chance(0.3)
  const sent = draw(client, records, 'POST /v1/events/batch', ++batches)
  client.world.count('submit in a batch', sent.length)
  const events = sent.map(({ record, submission }) => ({ ...addressOf(record), ...bodyOf(submission) }))
  const reply = await client.send(account, {
    method: 'POST',
    path: '/v1/events/batch',
    body: JSON.stringify({ events }),
    ...(isMinimal ? { headers: { prefer: 'return=minimal' } } : {}),
  })
  const results =
    reply.is === 'answer' && reply.status === 200 ? (parse(reply.text).results as JsonObject[]) : null
  if (results)
    demand(
      results.length === sent.length,
      () => 'a batch has as many results as items',
      () => ({ events, results }),
    )
  for (const [i, { record, submission }] of sent.entries()) {
    submission.sentAt = reply.sentAt
    if (results) settle(client, record, submission, results[i] as JsonObject, reply.answeredAt)
    else giveUp(client, record, submission, reply)
  }
}

/** The same as lines, each of which is answered as soon as it can be. */
export async function submitLines(
  client: Client,
  account: Account,
  records: readonly ClaimRecord[],
): Promise<void> {
  const sent = draw(client, records, 'POST /v1/events/batch (lines)')
  client.world.count('submit as a line', sent.length)
  const lines = sent.map(({ record, submission }) =>
    JSON.stringify({ ...addressOf(record), ...bodyOf(submission) }),
  )
  const answered: { line: string; at: number }[] = []
  let rest = ''
  const hear = (part: string) => {
    const parts = (rest + part).split('\n')
    rest = parts.pop() as string
    for (const line of parts) answered.push({ line, at: now() })
  }
  const reply = await client.send(
    account,
    {
      method: 'POST',
      path: '/v1/events/batch',
      body: `${lines.join('\n')}\n`,
      headers: { 'content-type': 'application/x-ndjson' },
    },
    { onPart: hear },
  )
  const isWhole = reply.is === 'answer' && reply.status === 200
  if (isWhole)
    demand(
      answered.length === sent.length,
      () => `${sent.length} lines had ${answered.length} answers`,
      () => ({ lines, answered }),
    )
  for (const [i, { record, submission }] of sent.entries()) {
    submission.sentAt = reply.sentAt
    const answer = reply.is === 'answer' && !isWhole ? undefined : answered[i]
    if (answer) settle(client, record, submission, parse(answer.line), answer.at)
    else giveUp(client, record, submission, reply)
  }
}

function draw(client: Client, records: readonly ClaimRecord[], what: string, batch?: number): Sent[] {
  const count = client.random.int(1, client.random.chance(0.5) ? 100 : 12)
  return Array.from({ length: count }, () => {
    const record = client.random.pick(records)
    const submission: Submission = {
      ...drawSubmission(client, record),
      how: `${client.name} ${what}`,
      sentAt: 0,
      answeredAt: Infinity,
      verdict: { is: 'unknown', why: 'under way' },
      ...(batch === undefined ? {} : { batch }),
    }
    record.submissions.push(submission)
    return { record, submission }
  })
}

/** What `Prefer: return=minimal` answers does not tell a repeat from a record. */
function settle(
  client: Client,
  record: ClaimRecord,
  submission: Submission,
  result: JsonObject,
  at: number,
): void {
  const status = Number(result.status)
  demand(
    status !== 500 || client.isRough(submission.sentAt, at),
    () => `${record.name}: an item of a batch was answered 500`,
    () => ({ submission, result }),
  )
  submission.verdict =
    status === 204
      ? { is: 'replayed', event: null, state: null }
      : readVerdict(record, status, result, client.mayHaveLost(submission.sentAt, at))
  if (submission.verdict.is !== 'unknown') submission.answeredAt = at
  noteVerdict(client, record, submission)
}

function giveUp(client: Client, record: ClaimRecord, submission: Submission, reply: Reply): void {
  const surelyNot = reply.is === 'not sent' || (reply.is === 'answer' && outcomeOf(reply) === 'refused')
  submission.verdict = surelyNot
    ? { is: 'refused', status: reply.is === 'answer' ? reply.status : 0 }
    : { is: 'unknown', why: reply.is === 'lost' ? reply.why : 'the lines broke off' }
  noteVerdict(client, record, submission)
}
