import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Socket } from 'node:net'
import { PassThrough } from 'node:stream'
import { describe, test } from 'node:test'
import type { FastifyRequest } from 'fastify'
import { type ItemText, parseItems, parseJson } from '../../../src/http/bodies/parse-json.ts'
import { readBody } from '../../../src/http/bodies/read-body.ts'
import { IncomingRequest } from '../../../src/http/connections/incoming-request.ts'

/* The memory of bytes is given back when they are not needed, not when the collector comes. */

/** With memory of its own, as pieces from Node's parser have. */
function ownBytes(text: string): Buffer {
  const { length } = Buffer.from(text)
  const bytes = Buffer.from(new ArrayBuffer(length))
  bytes.write(text)
  return bytes
}

/** A piece that is worth it. */
const piece = (letter: string) => ownBytes(letter.repeat(4 * 1024))

const isGivenBack = (bytes: Buffer) => bytes.buffer.byteLength === 0

function reading(declared: number | null, bodyLimit = 64 * 1024) {
  const headers = declared === null ? {} : { 'content-length': `${declared}` }
  const payload = new PassThrough()
  const request = { headers, routeOptions: { bodyLimit } } as FastifyRequest
  return { payload, body: readBody(request, payload) }
}

function sending(payload: PassThrough, pieces: readonly Buffer[]): void {
  for (const piece of pieces) payload.write(piece)
  payload.end()
}

describe('a body', () => {
  for (const [name, declared] of [
    ['that says how long it is', 12 * 1024],
    ['that does not', null],
  ] as const) {
    test(`${name} is joined, and its pieces are given back`, async () => {
      const { payload, body } = reading(declared)
      const pieces = ['a', 'b', 'c'].map(piece)
      const sent = pieces.join('')
      sending(payload, pieces)
      assert.equal(`${await body}`, sent)
      assert.deepEqual(pieces.map(isGivenBack), [true, true, true])
    })
  }

  test('in one piece is handed on as it came', async () => {
    for (const declared of [3, null]) {
      const { payload, body } = reading(declared)
      const only = ownBytes('one')
      sending(payload, [only])
      assert.equal(await body, only)
      assert.equal(only.toString(), 'one')
    }
  })

  test('without a byte is empty', async () => {
    for (const declared of [0, null]) {
      const { payload, body } = reading(declared)
      sending(payload, [])
      assert.equal((await body).length, 0)
    }
  })

  test('leaves alone what shares its memory with others', async () => {
    const shared = ownBytes('x'.repeat(20_000))
    const { payload, body } = reading(16_000)
    sending(payload, [shared.subarray(0, 8_000), shared.subarray(8_000, 16_000)])
    assert.equal((await body).length, 16_000)
    assert.equal(shared.length, 20_000)
  })

  test('that is or becomes too large is refused', async () => {
    const tooLarge = { code: 'PAYLOAD_TOO_LARGE', message: 'The body is larger than 1 KiB.' }
    await assert.rejects(reading(1_025, 1_024).body, tooLarge)
    const { payload, body } = reading(null, 5 * 1024)
    const pieces = ['a', 'b'].map(piece)
    sending(payload, pieces)
    await assert.rejects(body, { code: 'PAYLOAD_TOO_LARGE', message: 'The body is larger than 5 KiB.' })
    assert.ok(isGivenBack(pieces[0] as Buffer))
  })

  test('in many small pieces does not give back each: that would take longer than all of it', async () => {
    const { payload, body } = reading(null)
    const pieces = Array.from({ length: 1_000 }, () => ownBytes('0123456789abcdef'))
    sending(payload, pieces)
    assert.equal((await body).length, 16_000)
    assert.equal(pieces.some(isGivenBack), false)
  })

  test('that breaks off gives back what came of it', async () => {
    for (const declared of [12 * 1024, null]) {
      const { payload, body } = reading(declared)
      const first = piece('a')
      payload.write(first)
      payload.destroy(new Error('aborted'))
      await assert.rejects(body, { code: 'UNAVAILABLE', message: 'The caller has gone.' })
      assert.equal(payload.listenerCount('data') + payload.listenerCount('end'), 0)
    }
  })
})

test('a long body is given back once it is a text, whatever its letters', async () => {
  for (const letter of ['a', 'ä', '漢', '😀']) {
    const value = letter.repeat(200_000 / Buffer.byteLength(letter))
    const bytes = ownBytes(JSON.stringify({ value }))
    assert.deepEqual(await parseJson(bytes), { value })
    assert.ok(isGivenBack(bytes))

    const list = ownBytes(JSON.stringify({ events: Array(10).fill({ value }) }))
    const { events } = (await parseItems(list, { name: 'events', most: 10 })) as { events: ItemText[] }
    assert.deepEqual(events.at(-1)?.parse(), { value })
    assert.ok(isGivenBack(list))
  }
})

describe('a request', () => {
  test('gives back what nobody will read', () => {
    const request = new IncomingRequest(new Socket())
    request.resume()
    const unread = piece('a')
    assert.equal(request.push(unread), true, 'more may come')
    assert.ok(isGivenBack(unread))
  })

  test('keeps what somebody reads, or may read later', async () => {
    const request = new IncomingRequest(new Socket())
    const [first, second] = ['a', 'b'].map(piece) as [Buffer, Buffer]
    const sent = `${first}${second}`
    request.push(first)
    const heard: string[] = []
    request.on('data', (piece: Buffer) => heard.push(`${piece}`))
    request.push(second)
    request.push(null)
    await once(request, 'end')
    assert.equal(heard.join(''), sent)
    assert.deepEqual([first, second].map(isGivenBack), [false, false])
  })
})
