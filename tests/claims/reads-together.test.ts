import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Answer, ApiClient } from '../support/api-client.ts'
import { assertError } from '../support/assert-error.ts'
import { candidatePath, newCandidate, newClaim } from '../support/new-records.ts'
import { runBatch } from '../support/run-batch.ts'
import { sharedService } from '../support/shared.ts'

/* Claims that are asked for at the same moment are read together, if they are short. */

const service = await sharedService()
const [one, other] = [await service.newAccount(), await service.newAccount()]
const KIB = 1024

/** At the edges of what is short: events, bytes of a log, of a payload, of a contract. */
const LOGS: Record<string, object[]> = {
  'no event': [],
  'as many events as are short': Array.from({ length: 32 }, (_, n) => ({ n })),
  'one event more': Array.from({ length: 33 }, (_, n) => ({ n })),
  'more events than a page has': Array.from({ length: 300 }, (_, n) => ({ n })),
  'two payloads of nearly 4 KiB': [{ v: 'v'.repeat(4_080) }, { v: 'w'.repeat(4_080) }],
  'a payload of more than 4 KiB': [{ v: 'v'.repeat(5 * KIB) }],
  'payloads of 9 KiB in all': Array.from({ length: 9 }, () => ({ v: 'v'.repeat(KIB) })),
}

async function withLog(api: ApiClient, payloads: object[], terms = {}): Promise<string> {
  const { id } = await newClaim(api, terms)
  const events = payloads.map((payload) => ({ claim_id: id, type: 'note', ...payload }))
  if (events.length > 0) await runBatch(api, '/v1/events/batch', events)
  return id
}

interface Expected {
  path: string
  payloads: object[]
  match?: string
}

async function claimsOf(api: ApiClient): Promise<Expected[]> {
  const expected: Expected[] = []
  for (const payloads of Object.values(LOGS)) {
    expected.push({ path: `/v1/claims/${await withLog(api, payloads)}`, payloads })
  }
  for (const length of [3_000, 5_000, 60_000]) {
    const match = 'x'.repeat(length)
    const id = await withLog(api, [{ n: 1 }], { fulfillment_condition: { event: 'done', match } })
    expected.push({ path: `/v1/claims/${id}`, payloads: [{ n: 1 }], match })
  }
  return expected
}

function assertRead({ status, body }: Answer, { path, payloads, match }: Expected): void {
  assert.equal(status, 200, path)
  const read = body.events.map(
    ({ id: _, type: __, created_at: ___, system: ____, ...payload }: object & Record<string, unknown>) =>
      payload,
  )
  assert.deepEqual(read, payloads)
  assert.equal(body.contract.fulfillment_condition.match, match)
}

const owned = [
  { api: one, claims: await claimsOf(one) },
  { api: other, claims: await claimsOf(other) },
]

test('each is whole, long and short, and none of another account is there', async () => {
  for (let round = 0; round < 2; round++) {
    await Promise.all(
      owned.flatMap(({ api, claims }) => {
        const { api: stranger } = owned.find((another) => another.api !== api) as (typeof owned)[number]
        return claims.flatMap((claim) => [
          api.get(claim.path).then((answer) => assertRead(answer, claim)),
          stranger.get(claim.path).then((answer) => assertError(answer, 404, 'CLAIM_NOT_FOUND')),
        ])
      }),
    )
  }
})

test('the same claim is read by many at once', async () => {
  const { api, claims } = owned[0] as (typeof owned)[number]
  const [, some] = claims as [Expected, Expected]
  const answers = await Promise.all(Array.from({ length: 60 }, () => api.get(some.path)))
  for (const answer of answers) assertRead(answer, some)
})

test('candidates are found by their alias alone, and claims by their id alone', async () => {
  const candidate = await newCandidate(one)
  const claim = await newClaim(one)
  const [byAlias, asClaim, byId, ofOther] = await Promise.all([
    one.get(candidatePath(candidate.candidate_alias)),
    one.get(candidatePath(claim.id)),
    one.get(`/v1/claims/${claim.id.toUpperCase()}`),
    other.get(candidatePath(candidate.candidate_alias)),
  ])
  assert.deepEqual([byAlias.status, byAlias.body.candidate_alias], [200, candidate.candidate_alias])
  assertError(asClaim, 404, 'CANDIDATE_NOT_FOUND')
  assert.deepEqual([byId.status, byId.body.id], [200, claim.id])
  assertError(ofOther, 404, 'CANDIDATE_NOT_FOUND')
})

test('a read includes everything recorded before it', async () => {
  const { id } = await newClaim(one)
  for (let n = 1; n <= 8; n++) {
    const busy = owned.flatMap(({ api, claims }) => claims.slice(0, 4).map(({ path }) => api.get(path)))
    assert.equal((await one.post('/v1/events', { claim_id: id, type: 'note', n })).status, 201)
    assert.equal((await one.get(`/v1/claims/${id}`)).body.events.length, n)
    await Promise.all(busy)
  }
})
