import { type Client, parse } from '../../clients/client.ts'
import { now } from '../../clients/http-connection.ts'
import type { ClaimRecord } from '../../clients/records.ts'
import { timeBoundsOf } from '../../clients/time-bounds.ts'
import { metadataVersionOf, readState } from '../../clients/world.ts'
import { observeDeleted, observeExisting } from '../../model/clock-history.ts'
import { assert } from '../../model/finding.ts'
import { canonical, type JsonObject } from '../../model/json.ts'
import type { LogItem } from '../../model/replay.ts'
import { verifyClaim } from '../../model/verify-claim.ts'

/** Reads the claim with its log, which must continue every log that was read before. False: no response. */
export async function readClaim(client: Client, record: ClaimRecord): Promise<boolean> {
  client.world.count('read claim')
  const observe = record.metadataVersions.read()
  const reply = await client.send(record.account, { method: 'GET', path: record.path })
  if (reply.kind !== 'answer' || reply.status >= 500) return false
  if (reply.status === 404 && record.clock) {
    observeDeleted(record.clock, `${record.name} is not found`, reply.sentAt, reply.answeredAt)
    record.isDeleted = true
    return true
  }
  assert(
    reply.status === 200,
    () => `${record.name} exists, but reading it answered ${reply.status}`,
    () => reply,
  )
  const { events, ...body } = parse(reply.text)
  addLog(record, events as LogItem[])
  const { sentAt, answeredAt } = reply
  if (record.clock) observeExisting(record.clock, `${record.name} is read`, sentAt, answeredAt)
  const state = readState(record, body as JsonObject)
  observe(metadataVersionOf(record.name, body as JsonObject))
  record.reads.push({
    source: `${client.name} GET ${record.path}`,
    sentAt,
    answeredAt,
    state,
    items: (events as LogItem[]).length,
  })
  return true
}

/** Verifies a claim during the run: an early finding is easier to analyze. */
export async function verifyEarly(client: Client, record: ClaimRecord): Promise<void> {
  const readAt = now()
  const isRead = await readClaim(client, record)
  if (!isRead || record.isDeleted) return
  const submissions = record.submissions.map((submission) =>
    submission.answeredAt < readAt
      ? submission
      : { ...submission, verdict: IN_PROGRESS, answeredAt: Infinity },
  )
  const reads = record.reads.filter(({ answeredAt }) => answeredAt < readAt)
  verifyClaim({ ...record, submissions, reads }, timeBoundsOf(record, client.world.clocksAreRight))
}

const IN_PROGRESS = { kind: 'unknown', why: 'it was under way' } as const

/** §6 rule 1: nothing is ever changed or removed. */
function addLog(record: ClaimRecord, log: readonly LogItem[]): void {
  const { longest } = record
  for (let i = 0; i < Math.min(log.length, longest.length); i++) {
    const [before, after] = [longest[i], log[i]]
    assert(
      JSON.stringify(before) === JSON.stringify(after) || canonical(before) === canonical(after),
      () => `${record.name}: item ${i + 1} of the log has changed`,
      () => ({ before, after }),
    )
  }
  longest.push(...log.slice(longest.length))
}
