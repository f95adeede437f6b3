import { type Client, parse } from '../../clients/client.ts'
import type { ClaimRecord } from '../../clients/records.ts'
import { isExplainedBy } from '../../model/explain.ts'
import { assert } from '../../model/finding.ts'
import type { JsonObject } from '../../model/json.ts'
import { readClaim } from './read-claim.ts'

/** Reads the log before and after, so that the explained lengths are known. */
export async function explainClaim(client: Client, record: ClaimRecord): Promise<void> {
  if (!(await readClaim(client, record)) || record.isDeleted) return
  const from = record.longest.length
  client.world.count('explain claim')
  const reply = await client.send(record.account, { method: 'GET', path: `${record.path}/explanation` })
  if (reply.kind !== 'answer' || reply.status !== 200) return
  if (!(await readClaim(client, record)) || record.isDeleted) return
  const { condition, transitions, review, clock, late_events, late_event_count } = parse(reply.text)
  const shown = {
    condition,
    transitions,
    ...(review === undefined ? {} : { review }),
    ...(clock === undefined ? {} : { clock }),
    ...(late_events === undefined ? {} : { late_events, late_event_count }),
  } as JsonObject
  const { terms, longest } = record
  const about = () => ({ shown, contract: terms.contract, log: longest.slice(-50) })
  const isExpected = isExplainedBy(shown, terms, longest, Math.min(from, longest.length))
  assert(isExpected, () => `${record.name} has an explanation that differs from its log`, about)
}
