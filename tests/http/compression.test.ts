import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { contractWith } from '../support/contracts.ts'
import { addLargeSchemas } from '../support/large-records.ts'
import { newClaim, newSchema } from '../support/new-records.ts'
import { sharedService } from '../support/shared.ts'
import { accept, longText, receive, startRequest } from './encoded-responses.ts'

/* JSON responses are compressed if Accept-Encoding allows it (§4). */

const service = await sharedService()
const { api } = service

const largeSchema = () =>
  newSchema(api, { fulfillment_condition: { event: 'done', match: longText(10_000) } })

describe('a response of more than a kilobyte', () => {
  for (const encoding of ['zstd', 'br', 'gzip']) {
    test(`is compressed with ${encoding} if Accept-Encoding names it, and decodes to the same body`, async () => {
      const path = `/v1/schemas/${(await largeSchema()).id}`
      const plain = await receive(api, path)
      const compressed = await receive(api, path, accept(encoding))
      assert.deepEqual([plain.encoding, compressed.encoding], ['identity', encoding])
      assert.equal(compressed.text, plain.text)
      assert.ok(compressed.size < plain.size)
      assert.equal(compressed.headers['content-length'], `${compressed.size}`)
      for (const { headers } of [plain, compressed]) assert.equal(headers.vary, 'Accept-Encoding')
    })
  }

  test('of a long list is compressed while it is streamed, and decodes to the same body', async () => {
    const account = await service.newAccount()
    const { id } = await newSchema(account)
    await addLargeSchemas(service.sql, id, 20)
    const plain = await receive(account, '/v1/schemas')
    for (const encoding of ['zstd', 'br', 'gzip']) {
      const compressed = await receive(account, '/v1/schemas', accept(encoding))
      assert.equal(compressed.encoding, encoding)
      assert.equal(compressed.text, plain.text)
      assert.ok(plain.size > 20 * 65_000 && compressed.size < plain.size / 10)
    }
  })

  test('with a claim and a long log is compressed', async () => {
    const { id } = await newClaim(api)
    for (let n = 0; n < 3; n++)
      await api.post(`/v1/claims/${id}/events`, { type: 'a', value: `${n}${'x'.repeat(150_000)}` })
    const plain = await receive(api, `/v1/claims/${id}`)
    const compressed = await receive(api, `/v1/claims/${id}`, accept('gzip'))
    assert.equal(compressed.text, plain.text)
    assert.ok(compressed.encoding === 'gzip' && compressed.size < 10_000)
  })

  test('to a batch or a simulation is compressed', async () => {
    const { id } = await newClaim(api)
    const events = Array.from({ length: 20 }, (_, n) => ({ claim_id: id, type: 'a', id: `e${n}` }))
    const sent = { method: 'POST', body: JSON.stringify({ events }) }
    const batch = await receive(api, '/v1/events/batch', accept('gzip'), sent)
    assert.deepEqual([batch.encoding, JSON.parse(batch.text).results.length], ['gzip', 20])
    const at = '2026-01-01T00:00:00Z'
    const simulated = JSON.stringify({
      contract: contractWith(),
      events: [{ at, type: 'a', value: longText(2_000) }],
    })
    const simulation = await receive(api, '/v1/simulations', accept('br'), {
      method: 'POST',
      body: simulated,
    })
    assert.equal(simulation.encoding, 'br')
    assert.ok(JSON.parse(simulation.text).timeline.length > 0)
  })
})

describe('a response is sent uncompressed', () => {
  const plain = async (...args: Parameters<typeof startRequest>) => {
    const { status, encoding, headers } = await receive(...args)
    assert.equal(encoding, 'identity')
    return { status, vary: headers.vary }
  }

  test('if it is short', async () => {
    const { id } = await newSchema(api)
    assert.deepEqual(await plain(api, `/v1/schemas/${id}`, accept('gzip')), { status: 200, vary: undefined })
  })

  test('to a single event, however long', async () => {
    const { id } = await newClaim(api, { fulfillment_condition: { event: 'done', match: longText(2_000) } })
    const event = { method: 'POST', body: '{"type":"a"}' }
    const answer = await plain(api, `/v1/claims/${id}/events`, accept('gzip'), event)
    assert.deepEqual(answer, { status: 201, vary: undefined })
  })

  test('if the request has Cache-Control: no-transform, or is a HEAD request', async () => {
    const path = `/v1/schemas/${(await largeSchema()).id}`
    const headers = { ...accept('gzip'), 'Cache-Control': 'max-age=0, No-Transform' }
    assert.deepEqual(await plain(api, path, headers), { status: 200, vary: 'Accept-Encoding' })
    assert.equal((await plain(api, path, accept('gzip'), { method: 'HEAD' })).status, 200)
  })

  test('if it is an event stream or a stream of lines', async () => {
    const { request, answer } = await startRequest(api, '/v1/notifications', {
      ...accept('gzip'),
      Accept: 'text/event-stream',
    })
    assert.equal(answer.headers['content-encoding'], undefined)
    request.destroy()
    const { id } = await newClaim(api)
    const lines = Array.from({ length: 30 }, () => JSON.stringify({ claim_id: id, type: 'a' })).join('\n')
    const headers = { ...accept('gzip'), 'Content-Type': 'application/x-ndjson' }
    assert.equal((await plain(api, '/v1/events/batch', headers, { method: 'POST', body: lines })).status, 200)
  })
})

test('a compressed response has its own ETag, which matches the same record (§4.16 rule 6)', async () => {
  const { id, contract } = await largeSchema()
  const path = `/v1/schemas/${id}`
  const tag = `${(await receive(api, path)).headers.etag}`
  const compressed = `${(await receive(api, path, accept('gzip'))).headers.etag}`
  assert.equal(compressed, tag.replace(/"$/, '+gzip"'))
  for (const known of [tag, compressed]) {
    const again = await receive(api, path, { ...accept('gzip'), 'If-None-Match': known })
    const { etag, vary } = again.headers
    assert.deepEqual(
      [again.status, again.encoding, again.size, etag, vary],
      [304, 'identity', 0, known, 'Accept-Encoding'],
    )
  }
  const changed = await api.patch(path, { contract: { ...contract, price: 1 } }, { 'If-Match': compressed })
  assert.equal(changed.status, 200)
  const late = await api.patch(path, { contract }, { 'If-Match': `${compressed}, ${tag}` })
  assert.equal(late.status, 412)
})
