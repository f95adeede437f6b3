import type { Client } from '../../clients/client.ts'
import type { Account, ClaimRecord, FilledLog } from '../../clients/records.ts'
import { MAX_EVENTS, RESERVED_PLACES } from '../../model/claim-model.ts'
import { acceptsEvents, type Contract } from '../../model/contract.ts'
import { assert } from '../../model/finding.ts'
import { createUnder } from '../claims/create-claim.ts'
import { readClaim, verifyEarly } from '../claims/read-claim.ts'
import { sendBatch } from './submit-batch.ts'
import { type Draft, drawSubmission, submitEvent } from './submit-event.ts'

/** Per run: each takes memory for tens of thousands of records. */
const MAX_FILLED_LOGS = 2
const MAX_BATCH = 1_000
/** Near the limit batches are small, so that clients compete. */
const NEAR_LIMIT = 60
/** Refused submissions after which the log counts as tested. */
const MAX_REFUSED = 60
const LAST_EVENT = 'last'

/** §8: a log takes the maximum number of events and no more. §2.1a rule 6: except a reversing one. */
export async function fillLog(client: Client, account: Account): Promise<void> {
  const { world } = client
  const filledLog = world.filledLogs.find(({ record }) => record.account === account)
  if (filledLog) return await fill(client, filledLog)
  if (world.filledLogs.length >= MAX_FILLED_LOGS || world.isCreatingFilledLog) return
  world.isCreatingFilledLog = true
  const isReviewed = world.filledLogs.length % 2 === 1
  const record = await createUnder(client, account, isReviewed ? REVIEWED : CONTRACT)
  if (record) world.filledLogs.push({ record, sent: 0, refused: 0 })
  world.isCreatingFilledLog = false
}

/** Only an event at the end of the log satisfies the condition. */
const CONTRACT: Contract = {
  price: 1,
  activity_window: 86_400,
  review_window: 86_400,
  fulfillment_condition: { event: LAST_EVENT },
  timeout_outcome: 'fail',
}

/** The first event makes it PENDING. Its log is filled in review, and an event at the end reverses it. */
const REVIEWED: Contract = {
  ...CONTRACT,
  fulfillment_condition: { op: 'AND', conditions: [] },
  review: { reversal_condition: { event: LAST_EVENT } },
}

async function fill(client: Client, filledLog: FilledLog): Promise<void> {
  const { record } = filledLog
  const { random } = client
  const { contract } = record.terms
  if (filledLog.refused >= MAX_REFUSED || !acceptsEvents(contract, record.state)) return
  const left = MAX_EVENTS - (contract.review ? RESERVED_PLACES : 0) - filledLog.sent
  const isNear = left <= NEAR_LIMIT
  client.world.count(isNear ? 'fill log to the limit' : 'fill log')
  if (isNear && random.chance(0.3)) return await submitEvent(client, record)
  const count = isNear ? random.int(1, 8) : Math.min(left - NEAR_LIMIT, random.int(MAX_BATCH / 2, MAX_BATCH))
  filledLog.sent += isNear ? 0 : count
  const items = await sendBatch(client, record.account, Math.max(count, 1), () => [
    record,
    draw(client, record, isNear),
  ])
  for (const { submission } of items) {
    const { kind } = submission.verdict
    if (kind === 'full') filledLog.refused++
    const isKeptFor = contract.review !== undefined && submission.type === LAST_EVENT
    assert(kind !== 'full' || !isKeptFor, () => `${record.name}: the log has no place for a reversal`)
    const exists = kind === 'recorded' || kind === 'replayed' || kind === 'unknown'
    if (isNear) filledLog.sent += kind === 'recorded' ? 1 : 0
    else if (!exists) filledLog.sent--
  }
  if (isNear && random.chance(0.1)) await countAgain(client, filledLog)
}

/** Lost submissions were not counted correctly. */
async function countAgain(client: Client, filledLog: FilledLog): Promise<void> {
  const { record } = filledLog
  await (client.random.chance(0.3) ? verifyEarly : readClaim)(client, record)
  filledLog.sent = record.longest.length
}

function draw(client: Client, record: ClaimRecord, isNear: boolean): Draft {
  const { random, world } = client
  if (isNear && random.chance(0.4)) return drawSubmission(client, record)
  const type = isNear && random.chance(0.006) ? LAST_EVENT : 'noise'
  return { id: world.nextName('f'), type, payload: {} }
}
