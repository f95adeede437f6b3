import { type Client, parse } from '../../clients/client.ts'
import { now, type Reply, type RequestWriter } from '../../clients/http-connection.ts'
import type { Account, ClaimRecord } from '../../clients/records.ts'
import { assert } from '../../model/finding.ts'
import type { JsonObject } from '../../model/json.ts'
import { argumentsOf, type Item, itemOf, recordMissingResult, recordResult } from './items.ts'
import { drawSubmission } from './submit-event.ts'

const MAX_LINES_OF_SMALL_STREAM = 12
const MAX_LINES = 100
/** Each has a response in its place. */
const INVALID_LINES = ['{"type":', '{}', '[]', '"x"', '{"type":"noise","claim_id":"nobody"}']
const BLANK_LINES = ['', ' ']

interface Line {
  text: string
  /** Null: an invalid line. */
  item: Item | null
  sentAt: number
}

interface Answer {
  text: string
  at: number
}

/** §4.3 as a stream: each line is answered in order, as soon as possible. */
export async function submitLines(
  client: Client,
  account: Account,
  records: readonly ClaimRecord[],
): Promise<void> {
  const { random, world } = client
  const isInteractive = random.chance(0.4)
  const lines = drawLines(client, records, `${client.name} POST /v1/events/batch (lines)`, isInteractive)
  world.count(isInteractive ? 'submit line by line' : 'submit as a line', lines.length)
  const answers: Answer[] = []
  const reply = isInteractive
    ? await sendOneByOne(client, account, lines, answers)
    : await sendAtOnce(client, account, lines, answers)
  verifyResponses(client, lines, answers, reply)
}

function drawLines(
  client: Client,
  records: readonly ClaimRecord[],
  source: string,
  isInteractive: boolean,
): Line[] {
  const { random } = client
  const most = !isInteractive && random.chance(0.5) ? MAX_LINES : MAX_LINES_OF_SMALL_STREAM
  return Array.from({ length: random.int(1, most) }, () => {
    if (random.chance(0.05)) return { text: random.pick(INVALID_LINES), item: null, sentAt: 0 }
    const record = random.pick(records)
    const item = itemOf(record, drawSubmission(client, record), source)
    return { text: JSON.stringify(argumentsOf(item)), item, sentAt: 0 }
  })
}

const REQUEST = {
  method: 'POST',
  path: '/v1/events/batch',
  headers: { 'content-type': 'application/x-ndjson' },
}

/** Sometimes the client disconnects after a response, while other lines are in progress. */
async function sendAtOnce(
  client: Client,
  account: Account,
  lines: readonly Line[],
  answers: Answer[],
): Promise<Reply> {
  const { random } = client
  const texts = lines.flatMap(({ text }) => (random.chance(0.1) ? [random.pick(BLANK_LINES), text] : [text]))
  const aborts = random.chance(0.1)
  const take = linesInto(answers)
  const onChunk = (part: string, { abort }: RequestWriter) => {
    take(part)
    if (aborts) abort()
  }
  const body = `${texts.join('\n')}${aborts ? '\n' : random.pick(['\n', ''])}`
  const reply = await client.send(
    account,
    { ...REQUEST, body, streamsBody: aborts },
    { onChunk, mayAbort: aborts },
  )
  for (const line of lines) line.sentAt = reply.sentAt
  return reply
}

/**
 * The next line follows the response to the previous one, which must not wait for more lines. Sometimes the client
 * disconnects.
 */
async function sendOneByOne(
  client: Client,
  account: Account,
  lines: readonly Line[],
  answers: Answer[],
): Promise<Reply> {
  const { random } = client
  const abortsAfter = random.chance(0.15) ? random.int(1, lines.length) : Infinity
  const take = linesInto(answers)
  const nextLine = (next: number): string => {
    const line = lines[next] as Line
    line.sentAt = now()
    return `${line.text}\n`
  }
  let sent = 1
  const onChunk = (part: string, { write, end, abort }: RequestWriter) => {
    take(part)
    if (answers.length < sent) return
    if (sent >= abortsAfter) {
      if (sent < lines.length) write(nextLine(sent++))
      abort()
    } else if (sent < lines.length) write(nextLine(sent++))
    else end()
  }
  const options = { onChunk, mayAbort: abortsAfter !== Infinity }
  return await client.send(account, { ...REQUEST, body: nextLine(0), streamsBody: true }, options)
}

function linesInto(answers: Answer[]): (part: string) => void {
  let rest = ''
  return (part) => {
    const texts = (rest + part).split('\n')
    rest = texts.pop() as string
    const at = now()
    for (const text of texts) answers.push({ text, at })
  }
}

/** One response for each line, in order. If the stream breaks, for the first lines. */
function verifyResponses(
  client: Client,
  lines: readonly Line[],
  answers: readonly Answer[],
  reply: Reply,
): void {
  const isWhole = reply.kind === 'answer' && reply.status === 200
  const isPart = reply.kind === 'lost'
  const about = () => ({ lines: lines.map(({ text }) => text), answers })
  const sent = lines.filter(({ sentAt }) => sentAt > 0).length
  const matches = isWhole ? answers.length === lines.length : !isPart || answers.length <= sent
  assert(matches, () => `${sent} lines have ${answers.length} responses`, about)
  for (const [i, { item, sentAt }] of lines.entries()) {
    const answer = isWhole || isPart ? answers[i] : undefined
    const result = answer ? parse(answer.text) : null
    if (item) {
      // A line that was never sent is not stored.
      item.submission.sentAt = sentAt || reply.answeredAt
      if (result) recordResult(client, item, result, (answer as Answer).at)
      else recordMissingResult(client, item, sentAt > 0 ? reply : NOT_SENT)
    } else if (result) verifyInvalidLine(result, about)
  }
}

const NOT_SENT: Reply = { kind: 'not sent', sentAt: 0, answeredAt: 0 }

function verifyInvalidLine({ status, error }: JsonObject, about: () => unknown): void {
  const isRefused = status === 400 && (error as JsonObject)?.code === 'VALIDATION_ERROR'
  assert(isRefused, () => `a line that cannot be read was answered ${status}`, about)
}
