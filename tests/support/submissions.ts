import assert from 'node:assert/strict'
import type { EventRequest, GroupCommit } from './source/decisions.ts'
import type { JsonObject } from './source/json.ts'

/** The timeout of `GroupCommit`: a submission that waits this long is answered 503. */
const SUBMIT_TIMEOUT_MS = 5_000

/** The request that the HTTP handlers pass to the queue. */
export function requestFor(
  claim: { id: string; user_id: string },
  id: string,
  { type = 'seen', payload = {} }: { type?: string; payload?: JsonObject } = {},
): EventRequest {
  const payloadJson = JSON.stringify(payload)
  const submission = { id, type, payload, payloadBytes: payloadJson.length }
  return { userId: claim.user_id, address: { kind: 'claim', id: claim.id }, submission, payloadJson }
}

/** `unknown`: answered 503, and the answer says that it may have been recorded. */
type Outcome = 'recorded' | 'refused' | 'unknown'

/** Submits all at once. Returns the outcome of each event by its id. On a stalled machine some time out. */
export async function submitAll(
  queue: GroupCommit,
  requests: readonly EventRequest[],
): Promise<Map<string, Outcome>> {
  const begun = performance.now()
  const outcomeOf = async (request: EventRequest): Promise<Outcome> => {
    try {
      const { event, replayed } = await queue.submit(request)
      assert.deepEqual([event.id, replayed], [request.submission.id, false])
      return 'recorded'
    } catch (error) {
      if ((error as { code?: string }).code !== 'UNAVAILABLE') throw error
      assert.ok(performance.now() - begun >= SUBMIT_TIMEOUT_MS, `refused too early: ${error}`)
      return /is not known/.test(`${error}`) ? 'unknown' : 'refused'
    }
  }
  const outcomes = new Map(
    await Promise.all(
      requests.map(async (request) => [request.submission.id, await outcomeOf(request)] as const),
    ),
  )
  assert.ok([...outcomes.values()].includes('recorded'), 'none was recorded')
  return outcomes
}

/** The log holds, in this order, every recorded event, no refused event and nothing else. */
export function assertLogMatches(
  log: readonly string[],
  ids: readonly string[],
  outcomes: ReadonlyMap<string, Outcome>,
): void {
  const logged = new Set(log)
  const expected = ids.filter((id) =>
    outcomes.get(id) === 'unknown' ? logged.has(id) : outcomes.get(id) === 'recorded',
  )
  assert.deepEqual(log, expected)
}
