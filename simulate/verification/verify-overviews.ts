import { setTimeout as pause } from 'node:timers/promises'
import { type Client, parse } from '../clients/client.ts'
import type { Account } from '../clients/records.ts'
import type { World } from '../clients/world.ts'
import { assert } from '../model/finding.ts'
import { canonical, type JsonObject } from '../model/json.ts'
import type { Testbed } from '../testbed.ts'

/** An overview may be 10 s old, and a check may run between the overview and the recount. */
const TIMEOUT_MS = 40_000

/** The figures of an overview equal a recount of the records. */
export async function verifyOverviews(world: World, testbed: Testbed, client: Client): Promise<void> {
  for (const account of world.accounts) {
    await verifyOverview(account, testbed, client)
    await verifyClaimCount(account, testbed)
  }
}

async function verifyOverview(account: Account, testbed: Testbed, client: Client): Promise<void> {
  const deadline = performance.now() + TIMEOUT_MS
  for (;;) {
    const reply = await client.send(account, { method: 'GET', path: '/v1/overview?days=366' })
    const shown = reply.kind === 'answer' && reply.status === 200 ? figuresOf(parse(reply.text)) : null
    const counted = await recount(account, testbed)
    if (shown && canonical(shown) === canonical(counted)) return
    const about = () => ({ shown, counted })
    assert(
      performance.now() < deadline,
      () => `the overview of ${account.name} differs from a recount`,
      about,
    )
    await pause(1_000)
  }
}

function figuresOf(overview: JsonObject): JsonObject {
  const days = overview.resolutions_by_day as JsonObject[]
  const resolved = (outcome: string) =>
    days.reduce((sum, day) => sum + Number((day[outcome] as JsonObject).count), 0)
  return {
    statuses: overview.statuses as JsonObject,
    pending_outcomes: overview.pending_outcomes as JsonObject,
    due_next: (overview.due_next as JsonObject[]).map(({ due_at }) => due_at as string),
    overdue: (overview.overdue as JsonObject).count as number,
    resolved: { confirmed: resolved('confirmed'), failed: resolved('failed') },
  }
}

async function recount({ userId }: Account, testbed: Testbed): Promise<JsonObject> {
  const rows = await testbed.sql<{ status: string; count: number; amount: string }>(
    `SELECT status, count(*)::integer AS count, trim_scale(sum((document->>'price')::numeric))::text AS amount
     FROM claims JOIN contracts ON hash = contract_hash WHERE user_id = $1 AND test_clock_id IS NULL GROUP BY status`,
    [userId],
  )
  const pending = await testbed.sql<{ status: string; count: number; amount: string }>(
    `SELECT scheduled_outcome AS status, count(*)::integer AS count, trim_scale(sum((document->>'price')::numeric))::text AS amount
     FROM claims JOIN contracts ON hash = contract_hash WHERE user_id = $1 AND test_clock_id IS NULL AND status = 'PENDING' GROUP BY 1`,
    [userId],
  )
  const due = await testbed.sql<{ due_at: Date }>(
    `SELECT due_at FROM claims WHERE user_id = $1 AND test_clock_id IS NULL AND due_at IS NOT NULL ORDER BY due_at LIMIT 5`,
    [userId],
  )
  const tally = (among: typeof rows, status: string) => {
    const { count = 0, amount = '0' } = among.find((row) => row.status === status) ?? {}
    return { count, amount }
  }
  const of = (status: string) => tally(rows, status)
  return {
    pending_outcomes: { CONFIRMED: tally(pending, 'CONFIRMED'), FAILED: tally(pending, 'FAILED') },
    due_next: due.map(({ due_at }) => due_at.toISOString()),
    overdue: 0,
    statuses: { OPEN: of('OPEN'), PENDING: of('PENDING'), CONFIRMED: of('CONFIRMED'), FAILED: of('FAILED') },
    resolved: { confirmed: of('CONFIRMED').count, failed: of('FAILED').count },
  }
}

/** Each claim was created by a client, and is deleted only with its clock. */
async function verifyClaimCount(account: Account, testbed: Testbed): Promise<void> {
  const rows = await testbed.sql<{ address: string }>(
    'SELECT coalesce(candidate_alias, id::text) AS address FROM claims WHERE user_id = $1',
    [account.userId],
  )
  const unknown = rows.filter(({ address }) => !account.byAddress.has(address))
  assert(
    unknown.length <= account.unknownClaims,
    () =>
      `${account.name} has ${unknown.length} claims without an acknowledged creation; ${account.unknownClaims} are possible`,
    () => unknown.slice(0, 20),
  )
  const existing = new Set(rows.map(({ address }) => address))
  for (const { name, address, isDeleted } of account.claims) {
    assert(
      existing.has(address) !== isDeleted,
      () => `${name} is ${isDeleted ? 'still there' : 'gone'} in the database`,
    )
  }
}
