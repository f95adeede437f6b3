import { type Client, parse } from '../../clients/client.ts'
import type { Account, ClaimRecord } from '../../clients/records.ts'
import { assert } from '../../model/finding.ts'
import type { JsonObject } from '../../model/json.ts'
import { argumentsOf, type Item, itemOf, recordMissingResult, recordResult } from './items.ts'
import { type Draft, drawSubmission } from './submit-event.ts'

const MAX_ITEMS_OF_SMALL_BATCH = 12
const MAX_ITEMS = 100

/** §4.3, a list of submissions to several claims. */
export async function submitBatch(
  client: Client,
  account: Account,
  records: readonly ClaimRecord[],
): Promise<void> {
  const { random } = client
  const count = random.int(1, random.chance(0.5) ? MAX_ITEMS : MAX_ITEMS_OF_SMALL_BATCH)
  await sendBatch(client, account, count, () => {
    const record = random.pick(records)
    return [record, drawSubmission(client, record)]
  })
}

export async function sendBatch(
  client: Client,
  account: Account,
  count: number,
  drawOne: () => [ClaimRecord, Draft],
): Promise<Item[]> {
  const isMinimal = client.random.chance(0.3)
  client.world.count('submit in a batch', count)
  const batch = client.world.nextNumber()
  const source = `${client.name} POST /v1/events/batch`
  const items = Array.from({ length: count }, () => itemOf(...drawOne(), source, batch))
  const events = items.map(argumentsOf)
  const reply = await client.send(account, {
    method: 'POST',
    path: '/v1/events/batch',
    body: JSON.stringify({ events }),
    ...(isMinimal ? { headers: { prefer: 'return=minimal' } } : {}),
  })
  const isWhole = reply.kind === 'answer' && reply.status === 200
  const results = isWhole ? (parse(reply.text).results as JsonObject[]) : null
  assert(
    results === null || results.length === items.length,
    () => 'a batch has as many results as items',
    () => ({ events, results }),
  )
  for (const [i, item] of items.entries()) {
    item.submission.sentAt = reply.sentAt
    if (results) recordResult(client, item, results[i] as JsonObject, reply.answeredAt)
    else recordMissingResult(client, item, reply)
  }
  return items
}
