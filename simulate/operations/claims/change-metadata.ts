import { type Client, outcomeOf, parse } from '../../clients/client.ts'
import type { ClaimRecord } from '../../clients/records.ts'
import { metadataVersionOf, readState } from '../../clients/world.ts'
import { observeDeleted } from '../../model/clock-history.ts'
import { assert } from '../../model/finding.ts'

/* The metadata has a number that only grows, and a field that never changes. */

/** One client at a time writes the metadata. After an unknown outcome no client continues. */
export async function changeMetadata(client: Client, record: ClaimRecord): Promise<void> {
  if (!record.isSettled) return
  record.isSettled = false
  client.world.count('change metadata')
  const { value, done } = record.metadataVersions.write()
  const body = JSON.stringify({ metadata: { note: `${value}` } })
  const reply = await client.send(record.account, { method: 'PATCH', path: record.path, body })
  const outcome = outcomeOf(reply)
  if (outcome === 'unknown') return
  record.isSettled = true
  if (reply.kind !== 'answer' || reply.status >= 500) return
  if (reply.status === 404 && record.clock) {
    observeDeleted(record.clock, `${record.name} is not found`, reply.sentAt, reply.answeredAt)
    record.isDeleted = true
    return
  }
  const changed = parse(reply.text)
  assert(
    reply.status === 200 && metadataVersionOf(record.name, changed) === value,
    () => `the metadata of ${record.name} was changed, and that was answered ${reply.status}`,
    () => reply,
  )
  done()
  readState(record, changed)
}
