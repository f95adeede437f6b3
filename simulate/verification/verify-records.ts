import type { Client } from '../clients/client.ts'
import type { ClaimRecord } from '../clients/records.ts'
import { timeBoundsOf } from '../clients/time-bounds.ts'
import type { World } from '../clients/world.ts'
import { observeTime, verifyClock, verifyTransitions } from '../model/clock-history.ts'
import { firstCheckOf } from '../model/contract.ts'
import { assert, Finding } from '../model/finding.ts'
import { verifyClaim } from '../model/verify-claim.ts'
import { readClaim } from '../operations/claims/read-claim.ts'
import { readClock } from '../operations/test-clocks.ts'
import type { Testbed } from '../testbed.ts'
import { verifyPunctuality } from './verify-punctuality.ts'

const MAX_TRIES = 5

/** Verifies all claims through the API. */
export async function verifyClaims(world: World, clients: readonly Client[]): Promise<void> {
  const records = world.accounts.flatMap(({ claims }) => claims).values()
  await Promise.all(
    clients.map(async (client) => {
      for (const record of records) {
        let isRead = false
        for (let i = 0; i < MAX_TRIES && !isRead; i++) isRead = await readClaim(client, record)
        assert(isRead, () => `${record.name} cannot be read without faults`)
        if (!record.isDeleted) verifyClaimAtEnd(world, record)
      }
    }),
  )
}

function verifyClaimAtEnd({ clocksAreRight, faultPeriods }: World, record: ClaimRecord): void {
  const { clock, address } = record
  const sawAt = (sentAt: number, answeredAt: number, at: number) => {
    if (clock) observeTime(clock, `an event to ${address}`, sentAt, answeredAt, at)
  }
  verifyClaim(record, timeBoundsOf(record, clocksAreRight, sawAt))
  if (!clock && clocksAreRight) verifyPunctuality(record, faultPeriods)
}

/** Verifies all test clocks. Call it after `verifyClaims`. */
export async function verifyClocks(world: World, client: Client): Promise<void> {
  for (const account of world.accounts) {
    for (const clock of account.clocks) {
      for (let i = 0; i < MAX_TRIES && !(await readClock(client, account, clock)); i++);
      verifyClock(clock)
      const claims = account.claims.filter((record) => record.clock === clock && !record.isDeleted)
      for (const record of claims) verifyNotOverdue(record, clock.latest)
      const system = claims.flatMap(({ longest }) => longest.filter(({ system }) => system))
      if (clock.isDeleted || clock.unknownClaims > 0) continue
      verifyTransitions(
        clock,
        system.map(({ created_at }) => Date.parse(created_at)),
      )
    }
  }
}

function verifyNotOverdue({ name, reads }: ClaimRecord, time: number): void {
  const state = reads.at(-1)?.state
  if (!state || state.due_at === null) return
  const isOverdue = firstCheckOf(state) <= time
  assert(
    !isOverdue,
    () => `${name} is overdue on its clock at ${new Date(time).toISOString()}`,
    () => state,
  )
}

/** Checks in the database that the API does not offer. */
export async function verifyTables(testbed: Testbed): Promise<void> {
  const rules: [what: string, sql: string][] = [
    [
      'event_count is the length of the log, whose numbers have no gaps',
      `SELECT c.id, c.event_count, l.items, l.last FROM claims c LEFT JOIN (
         SELECT claim_id, count(*) AS items, max(seq) AS last, min(seq) AS first FROM claim_events GROUP BY claim_id
       ) l ON l.claim_id = c.id
       WHERE c.event_count <> coalesce(l.items, 0) OR c.event_count <> coalesce(l.last, 0) OR l.first <> 1`,
    ],
    [
      'ids are unique within their claim',
      'SELECT claim_id, id, count(*) FROM claim_events GROUP BY claim_id, id HAVING count(*) > 1',
    ],
    [
      'each item of a log has its claim',
      'SELECT claim_id, seq FROM claim_events e WHERE NOT EXISTS (SELECT 1 FROM claims c WHERE c.id = e.claim_id)',
    ],
    [
      'an alias is unique',
      'SELECT candidate_alias FROM claims WHERE candidate_alias IS NOT NULL GROUP BY 1 HAVING count(*) > 1',
    ],
    [
      'log_bytes is the length of all payloads',
      `SELECT c.id, c.log_bytes, sum(octet_length(e.payload::text)) FROM claims c JOIN claim_events e ON e.claim_id = c.id
       WHERE NOT e.system GROUP BY c.id HAVING c.log_bytes <> sum(octet_length(e.payload::text))`,
    ],
    [
      'a contract is stored under the hash of its text, and a claim has its price',
      `SELECT c.id, k.hash FROM claims c LEFT JOIN contracts k ON k.hash = c.contract_hash
       WHERE k.hash IS NULL OR k.hash <> sha256(convert_to(k.document::text, 'UTF8'))
         OR c.price <> (k.document->>'price')::numeric OR c.contract IS NOT NULL`,
    ],
    [
      'the totals of resolutions equal the resolutions up to the mark',
      `SELECT * FROM (SELECT user_id, status, sum(count) AS count, sum(amount) AS amount FROM resolution_totals GROUP BY 1, 2) t
       FULL JOIN (SELECT user_id, status, count(*) AS count, sum((document->>'price')::numeric) AS amount
         FROM claims JOIN contracts ON hash = contract_hash, resolution_mark WHERE status IN ('CONFIRMED', 'FAILED') AND test_clock_id IS NULL AND status_since <= up_to
         GROUP BY 1, 2) c USING (user_id, status)
       WHERE t.count IS DISTINCT FROM c.count OR t.amount IS DISTINCT FROM c.amount`,
    ],
  ]
  for (const [what, text] of rules) {
    const rows = await testbed.sql(`${text} LIMIT 5`)
    if (rows.length > 0) throw new Finding(`this does not hold in the database: ${what}`, rows)
  }
}
