import assert from 'node:assert/strict'
import type { EventRequest, SubmissionQueue } from './source/decisions.ts'
import type { JsonObject } from './source/json.ts'

/** As `SubmissionQueue` has it: so long a submission waits before it is answered 503. */
const PATIENCE_MS = 5_000

/** A submission as the entrances make it. */
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
type Fate = 'recorded' | 'refused' | 'unknown'

/** Submits at one go, and resolves to what became of each event, by its id. On a stalled machine some wait in vain. */
export async function fatesOf(
  queue: SubmissionQueue,
  requests: readonly EventRequest[],
): Promise<Map<string, Fate>> {
  const begun = performance.now()
  const fateOf = async (request: EventRequest): Promise<Fate> => {
    try {
      const { event, replayed } = await queue.submit(request)
      assert.deepEqual([event.id, replayed], [request.submission.id, false])
      return 'recorded'
    } catch (error) {
      if ((error as { code?: string }).code !== 'UNAVAILABLE') throw error
      assert.ok(performance.now() - begun >= PATIENCE_MS, `refused too early: ${error}`)
      return /is not known/.test(`${error}`) ? 'unknown' : 'refused'
    }
  }
  const fates = new Map(
    await Promise.all(
      requests.map(async (request) => [request.submission.id, await fateOf(request)] as const),
    ),
  )
  assert.ok([...fates.values()].includes('recorded'), 'none was recorded')
  return fates
}

/** In their order, the log has each event that was recorded, none that was refused, and nothing else. */
export function assertLogFollows(
  log: readonly string[],
  ids: readonly string[],
  fates: ReadonlyMap<string, Fate>,
): void {
  const logged = new Set(log)
  const expected = ids.filter((id) =>
    fates.get(id) === 'unknown' ? logged.has(id) : fates.get(id) === 'recorded',
  )
  assert.deepEqual(log, expected)
}
