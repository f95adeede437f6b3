import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import { asAnswered } from '../support/as-answered.ts'
import { assertError } from '../support/assert-error.ts'
import { candidatePath, newCandidate, newClaim, uniqueName } from '../support/new-records.ts'
import { sharedService } from '../support/shared.ts'
import { assertStoresNothing } from '../support/stored-rows.ts'

const service = await sharedService()
const { api } = service

/** The ways to submit an event to a record (§4.3): each with the record that it reaches. */
const FORMS = {
  'POST /v1/events with claim_id': async () => {
    const { events: _, ...record } = await newClaim(api)
    const read = `/v1/claims/${record.id}`
    return { path: '/v1/events', address: { claim_id: record.id }, record, read }
  },
  'POST /v1/events with candidate_alias': async () => {
    const { events: _, ...record } = await newCandidate(api)
    const { candidate_alias } = record
    return { path: '/v1/events', address: { candidate_alias }, record, read: candidatePath(candidate_alias) }
  },
  'POST /v1/claims/{id}/events': async () => {
    const { events: _, ...record } = await newClaim(api)
    const read = `/v1/claims/${record.id}`
    return { path: `${read}/events`, address: {}, record, read }
  },
  'POST /v1/candidates/{alias}/events': async () => {
    const { events: _, ...record } = await newCandidate(api)
    const read = candidatePath(record.candidate_alias)
    return { path: `${read}/events`, address: {}, record, read }
  },
}

for (const [form, prepare] of Object.entries(FORMS)) {
  describe(form, () => {
    test('answers 201 with the recorded event and the claim as it stands, without events', async () => {
      const { path, address, record, read } = await prepare()
      const submission = { id: 'evt-1', type: 'rated', value: 4, note: 'fine' }
      const { status, body } = await api.post(path, { ...address, ...submission })
      assert.equal(status, 201)
      assert.deepEqual(Object.keys(body), ['event', 'claim'])
      assert.deepEqual(body.claim, asAnswered(record))
      const { created_at } = body.event
      assert.match(created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
      assert.ok(created_at >= record.created_at)
      assert.deepEqual(body.event, { ...submission, created_at, system: false })
      assert.deepEqual((await api.get(read)).body, { ...record, events: [body.event] })
    })

    test('makes the event’s id where it is missing, another one each time', async () => {
      const { path, address, read } = await prepare()
      const ids = []
      for (let i = 0; i < 3; i++) ids.push((await api.post(path, { ...address, type: 'a' })).body.event.id)
      for (const id of ids) assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7/)
      assert.equal(new Set(ids).size, 3)
      const { events } = (await api.get(read)).body
      assert.deepEqual(
        events.map(({ id }: { id: string }) => id),
        ids,
      )
    })

    test('keeps the log in the order of recording (§6 rule 1)', async () => {
      const { path, address, read } = await prepare()
      const types = ['z', 'a', 'm', 'a', 'b']
      for (const type of types) await api.post(path, { ...address, type })
      const { events } = (await api.get(read)).body
      assert.deepEqual(
        events.map(({ type }: { type: string }) => type),
        types,
      )
    })
  })
}

describe('400: which claim is meant', () => {
  test('POST /v1/events with neither claim_id nor candidate_alias answers 400 at body', async () => {
    assertError(await api.post('/v1/events', { type: 'a' }), 400, 'VALIDATION_ERROR', 'body')
  })

  test('POST /v1/events with both answers 400 at body and records nothing', async () => {
    const { id } = await newClaim(api)
    const { candidate_alias } = await newCandidate(api)
    await assertStoresNothing(service, async () => {
      const answer = await api.post('/v1/events', { claim_id: id, candidate_alias, type: 'a' })
      assertError(answer, 400, 'VALIDATION_ERROR', 'body')
    })
  })

  test('naming another claim or a candidate in the body of a claim’s path answers 400', async () => {
    const { id } = await newClaim(api)
    const other = await newClaim(api)
    const { candidate_alias } = await newCandidate(api)
    await assertStoresNothing(service, async () => {
      const path = `/v1/claims/${id}/events`
      const another = await api.post(path, { claim_id: other.id, type: 'a' })
      assertError(another, 400, 'VALIDATION_ERROR', 'claim_id')
      assertError(
        await api.post(path, { candidate_alias, type: 'a' }),
        400,
        'VALIDATION_ERROR',
        'candidate_alias',
      )
      const both = await api.post(path, { claim_id: id, candidate_alias, type: 'a' })
      assertError(both, 400, 'VALIDATION_ERROR', 'candidate_alias')
    })
  })

  test('naming another candidate or a claim in the body of a candidate’s path answers 400', async () => {
    const { candidate_alias } = await newCandidate(api)
    const other = await newCandidate(api)
    const { id } = await newClaim(api)
    await assertStoresNothing(service, async () => {
      const path = `${candidatePath(candidate_alias)}/events`
      const another = await api.post(path, { candidate_alias: other.candidate_alias, type: 'a' })
      assertError(another, 400, 'VALIDATION_ERROR', 'candidate_alias')
      assertError(await api.post(path, { claim_id: id, type: 'a' }), 400, 'VALIDATION_ERROR', 'claim_id')
    })
  })

  test('naming the path’s own record in the body is allowed, and is no payload', async () => {
    const { id } = await newClaim(api)
    const claim = await api.post(`/v1/claims/${id}/events`, { claim_id: id.toUpperCase(), type: 'a' })
    assert.deepEqual([claim.status, claim.body.event.claim_id], [201, undefined])
    const { candidate_alias } = await newCandidate(api)
    const body = { candidate_alias, type: 'a' }
    const candidate = await api.post(`${candidatePath(candidate_alias)}/events`, body)
    assert.deepEqual([candidate.status, candidate.body.event.candidate_alias], [201, undefined])
  })

  test('claim ids are taken in upper case', async () => {
    const { id } = await newClaim(api)
    const claim_id = id.toUpperCase()
    assert.equal((await api.post('/v1/events', { claim_id, type: 'a' })).body.claim.id, id)
    assert.equal((await api.post(`/v1/claims/${claim_id}/events`, { type: 'a' })).body.claim.id, id)
  })
})

describe('404', () => {
  test('an unknown claim answers 404 CLAIM_NOT_FOUND', async () => {
    const id = randomUUID()
    assertError(await api.post('/v1/events', { claim_id: id, type: 'a' }), 404, 'CLAIM_NOT_FOUND')
    assertError(await api.post(`/v1/claims/${id}/events`, { type: 'a' }), 404, 'CLAIM_NOT_FOUND')
  })

  test('an unknown candidate answers 404 CANDIDATE_NOT_FOUND', async () => {
    const candidate_alias = uniqueName()
    assertError(await api.post('/v1/events', { candidate_alias, type: 'a' }), 404, 'CANDIDATE_NOT_FOUND')
    const path = `${candidatePath(candidate_alias)}/events`
    assertError(await api.post(path, { type: 'a' }), 404, 'CANDIDATE_NOT_FOUND')
  })

  test('a claim’s id is no alias, and a candidate’s UUID is no claim_id', async () => {
    const { id } = await newClaim(api)
    const { candidate_alias } = await newCandidate(api)
    const [row] = await service.sql('SELECT id FROM claims WHERE candidate_alias = $1', [candidate_alias])
    const asAlias = await api.post('/v1/events', { candidate_alias: id, type: 'a' })
    assertError(asAlias, 404, 'CANDIDATE_NOT_FOUND')
    assertError(await api.post('/v1/events', { claim_id: row?.id, type: 'a' }), 404, 'CLAIM_NOT_FOUND')
  })
})

describe('204', () => {
  const MINIMAL = [
    'return=minimal',
    'Return=minimal',
    'return="minimal"',
    'respond-async, return=minimal',
    'return=minimal, wait=5',
    'return=minimal; foo=bar',
  ]
  for (const prefer of MINIMAL) {
    test(`Prefer: ${prefer} answers 204 without a body, and the event is recorded`, async () => {
      const { id } = await newClaim(api)
      const answer = await api.post(`/v1/claims/${id}/events`, { id: 'e', type: 'a' }, { Prefer: prefer })
      assert.deepEqual([answer.status, answer.body], [204, undefined])
      assert.equal((await api.readClaim(id)).events[0].id, 'e')
    })
  }

  for (const prefer of ['return=representation', 'minimal', 'xreturn=minimal', 'return=minimalist', '']) {
    test(`Prefer: ${prefer || '(empty)'} asks for no minimal answer`, async () => {
      const { id } = await newClaim(api)
      const answer = await api.post('/v1/events', { claim_id: id, type: 'a' }, { Prefer: prefer })
      assert.deepEqual([answer.status, answer.body.claim.id], [201, id])
    })
  }

  test('an error has its body with Prefer: return=minimal too', async () => {
    const body = { claim_id: randomUUID(), type: 'a' }
    assertError(await api.post('/v1/events', body, { Prefer: 'return=minimal' }), 404, 'CLAIM_NOT_FOUND')
  })
})
