import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import type { ApiClient } from '../support/api-client.ts'
import { assertError } from '../support/assert-error.ts'
import { eventually } from '../support/eventually.ts'
import { newCandidate, newClaim } from '../support/new-records.ts'
import { sharedWebhookService } from '../support/shared.ts'
import type { Scope } from '../support/test-database.ts'
import { startTestService } from '../support/test-service.ts'

const { databaseUrl } = await sharedWebhookService()
const { newAccount, sql } = await startTestService({ after }, { databaseUrl, heartbeatMs: 200 })

interface StreamEvent {
  id?: string
  event?: string
  data?: string
}

/** A stream of the account's notifications, as a browser would read it. */
async function openStream(t: Scope, api: ApiClient, query = '', headers: Record<string, string> = {}) {
  const ending = new AbortController()
  const response = await fetch(`${api.url}/v1/notifications${query}`, {
    headers: { Accept: 'text/event-stream', Authorization: `Bearer ${api.token}`, ...headers },
    signal: ending.signal,
  })
  t.after(async () => ending.abort())
  assert.equal(response.status, 200)
  assert.equal(response.headers.get('content-type'), 'text/event-stream')
  const events: StreamEvent[] = []
  const reading = (async () => {
    let text = ''
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
      text += Buffer.from(chunk).toString()
      const blocks = text.split('\n\n')
      text = blocks.pop() as string
      for (const block of blocks) events.push(parse(block))
    }
  })()
  const ended = reading.then(
    () => 'ended',
    () => 'broken',
  )
  const received = () => events.filter(({ data }) => data !== undefined)
  return {
    received,
    lastId: () => events.at(-1)?.id,
    ended,
    close: () => ending.abort(),
    untilReceived: (count: number) => eventually(async () => received().length >= count && received()),
  }
}

const parse = (block: string): StreamEvent =>
  Object.fromEntries(
    block.split('\n').map((line) => {
      const at = line.indexOf(': ')
      return [line.slice(0, at), line.slice(at + 2)]
    }),
  )

describe('notifications as server-sent events', () => {
  test('come as they happen, each with its type and what a page has of it', async (t) => {
    const api = await newAccount()
    await newClaim(api)
    const stream = await openStream(t, api)
    await stream.untilReceived(1)
    await newCandidate(api)
    const received = await stream.untilReceived(2)
    assert.deepEqual(
      received.map(({ event }) => event),
      ['claim.created', 'candidate.created'],
    )
    const { data } = (await api.get('/v1/notifications')).body
    assert.deepEqual(
      received.map(({ data }) => JSON.parse(data as string)),
      data,
    )
  })

  test('go on after the Last-Event-ID, of what the filters passed over too', async (t) => {
    const api = await newAccount()
    await newClaim(api)
    const first = await openStream(t, api, '?types=claim.created')
    const [one] = await first.untilReceived(1)
    await newCandidate(api)
    await eventually(async () => first.lastId() !== one?.id)
    first.close()
    await newClaim(api)
    const second = await openStream(t, api, '', { 'Last-Event-ID': `${first.lastId()}` })
    const [next] = await second.untilReceived(1)
    assert.equal(next?.event, 'claim.created')
    const page = (await api.get(`/v1/notifications?after=${one?.id}`)).body
    assert.deepEqual(
      page.data.map(({ type }: { type: string }) => type),
      ['candidate.created', 'claim.created'],
    )
  })

  test('end with the token', async (t) => {
    const api = await newAccount()
    const stream = await openStream(t, api)
    await newClaim(api)
    await stream.untilReceived(1)
    await sql('UPDATE api_tokens SET revoked_at = now() WHERE user_id = $1', [
      (await api.get('/v1/me')).body.id,
    ])
    const other = await newAccount()
    await eventually(async () => (await api.get('/v1/me')).status === 401)
    await newClaim(other)
    assert.match(await stream.ended, /ended|broken/)
  })

  test('are 20 of an account at most; others have theirs, and one that closes makes room', async (t) => {
    const [api, other] = [await newAccount(), await newAccount()]
    const first = await openStream(t, api)
    for (let open = 1; open < 20; open++) await openStream(t, api)
    const requestStream = () => api.get('/v1/notifications', { Accept: 'text/event-stream' })
    const refused = await requestStream()
    assertError(refused, 429, 'RATE_LIMITED')
    assert.equal(refused.headers.get('retry-after'), '5')
    await openStream(t, other)
    first.close()
    await eventually(async () => {
      const stream = await openStream(t, api).catch(() => null)
      return stream !== null
    })
  })

  test('cannot come newest first', async () => {
    const answer = await (await newAccount()).get('/v1/notifications?order=desc', {
      Accept: 'text/event-stream',
    })
    assertError(answer, 400, 'VALIDATION_ERROR')
  })
})
