import type { Attack, Target } from '../attack.ts'
import { get, post, request } from '../requests.ts'
import { LARGE_CONTRACT, OPEN_CONTRACT } from '../stage.ts'
import { ended, keepWriting, open, pause, runConcurrently } from '../wire.ts'

/** The maximum that one connection sends before it reconnects. */
const MAX_BYTES = 1024 * 1024
const RECONNECT_DELAY_MS = 1_500
/** Requests that are written at once. */
const BURST = 100

/** Sends requests one after the other and does not read the responses. */
function unread(
  name: string,
  requests: string,
  connections: number,
  render: (target: Target) => string,
): Attack {
  return {
    name: `unread-${name}`,
    description: `${connections} connections pipeline ${requests}, and do not read the response`,
    run: (target, signal) => {
      const burst = render(target).repeat(BURST)
      return runConcurrently(connections, signal, async () => {
        const socket = await open(target, signal)
        if (!socket) return
        await keepWriting(socket, burst, MAX_BYTES, signal)
        // A socket that does not read does not notice that the connection is closed.
        await Promise.race([ended(socket, signal), pause(RECONNECT_DELAY_MS, signal)])
        socket.destroy()
      })
    },
  }
}

const DOCUMENTS = [
  '/docs',
  '/docs/specification',
  '/docs/errors/VALIDATION_ERROR',
  '/',
  '/favicon.svg',
  '/docs/js/scalar.js',
]

/** Large responses, two on each connection. */
function unreadOnce(
  name: string,
  requests: string,
  connections: number,
  render: (target: Target) => string,
): Pick<Attack, 'name' | 'description' | 'run'> {
  return {
    name: `unread-${name}`,
    description: `${connections} connections ${requests}, and do not read the response`,
    run: (target, signal) =>
      runConcurrently(connections, signal, async () => {
        const socket = await open(target, signal)
        if (!socket) return
        socket.write(render(target).repeat(2))
        await ended(socket, signal)
        socket.destroy()
      }),
  }
}

/** Together 64 MiB. */
const EVENT_COUNT = 256
/** With key and quotes just below 256 KiB. */
const PAYLOAD = JSON.stringify({ text: 'x'.repeat(256 * 1024 - 12) })

/** Its answer has more than a megabyte. */
const MANY_EVENTS = {
  contract: OPEN_CONTRACT,
  events: Array.from({ length: 8_000 }, () => ({ at: '2026-01-01T00:00:00Z', type: 'note' })),
}

export const unreadAttacks: Attack[] = [
  unread('openapi', '`GET /openapi.json` without a token', 4, (target) =>
    request(target, 'GET', '/openapi.json', { token: null }),
  ),
  unread('small', '`GET /healthz` without a token', 8, (target) =>
    request(target, 'GET', '/healthz', { token: null }),
  ),
  unread('documents', 'the dashboard’s and the reference’s files without a token', 8, (target) =>
    DOCUMENTS.map((path) => request(target, 'GET', path, { token: null })).join(''),
  ),
  unread('errors', 'requests that are refused', 8, (target) =>
    [get(target, '/v1/claims/none'), request(target, 'GET', '/v1/me', { token: 'ck_none' })].join(''),
  ),
  {
    ...unread('lists', 'pages of 100 claims with contracts of 62 KB', 8, (target) =>
      get(target, '/v1/claims?limit=100'),
    ),
    prepare: async (stage) => {
      await stage.claims({ count: 200, contract: LARGE_CONTRACT })
      return {}
    },
  },
  unread('batches', 'batches of 1000 creations that are refused', 8, (target) =>
    post(target, '/v1/claims/batch', { claims: Array.from({ length: 1000 }, () => ({})) }),
  ),
  {
    ...unreadOnce('logs', 'ask for a claim with a log of 64 MiB', 40, (target) =>
      get(target, `/v1/claims/${target.prepared.claim}`),
    ),
    prepare: async (stage) => {
      const events = { count: EVENT_COUNT, type: 'note', payload: PAYLOAD }
      return { claim: await stage.claims({ count: 1, events }) }
    },
  },
  {
    ...unreadOnce('schemas', 'ask for the list of thousands of schemas of 62 KB', 20, (target) =>
      get(target, '/v1/schemas'),
    ),
    prepare: async (stage) => {
      await stage.schemas(stage.many(5_000))
      return {}
    },
  },
  {
    ...unreadOnce('exports', 'ask for an export of thousands of claims', 40, (target) =>
      get(target, '/v1/claims/export'),
    ),
    prepare: async (stage) => {
      await stage.claims({ count: stage.many(50_000), contract: OPEN_CONTRACT })
      return {}
    },
  },
  {
    ...unreadOnce(
      'creations',
      'create 20 claims each from a schema of 62 KB, all at the same moment',
      480,
      (target) => {
        const claim = { customer_id: target.account.customerId, schema_id: target.prepared.schema }
        return post(target, '/v1/claims/batch', { claims: Array(20).fill(claim) })
      },
    ),
    prepare: async (stage) => ({
      schema: (await stage.post('/v1/schemas', { contract: LARGE_CONTRACT })).id as string,
    }),
  },
  unreadOnce('simulations', 'simulate 8,000 events each', 100, (target) =>
    post(target, '/v1/simulations', MANY_EVENTS),
  ),
]
