import type { Attack, Target } from '../attack.ts'
import { flood, post } from '../requests.ts'
import { OPEN_CONTRACT } from '../stage.ts'
import { ended, open, runConcurrently } from '../wire.ts'

/* Empty objects take more than twenty times their text. */

const MIB = 1024 * 1024
const emptyObjects = (count: number) => `[${Array(count).fill('{}').join(',')}]`

/** Nearly 64 KiB. */
const HEAVY_CONTRACT = {
  ...OPEN_CONTRACT,
  fulfillment_condition: { event: 'never', match: { a: JSON.parse(emptyObjects(21_000)) } },
}

/** As many of the item as the bytes have room for. */
const listOf = (list: string, item: string, bytes: number) =>
  `"${list}":[${Array(Math.floor(bytes / (item.length + 1)))
    .fill(item)
    .join(',')}]`

const heavyEvent = (claim: string, count: number) =>
  `{"claim_id":"${claim}","type":"e","a":${emptyObjects(count)}}`

const sendAll =
  (connections: number, path: string, body: (target: Target) => string): Attack['run'] =>
  (target, signal) => {
    const text = body(target)
    const minimal = { headers: { Prefer: 'return=minimal' } }
    return flood(target, signal, { connections }, () => post(target, path, text, minimal))
  }

export const heavyValues: Attack[] = [
  {
    name: 'heavy-claims',
    description: '4 connections create claims, 8 MiB a request, whose contracts are full of empty objects',
    run: sendAll(4, '/v1/claims/batch', ({ account }) => {
      const claim = JSON.stringify({ customer_id: account.customerId, contract: HEAVY_CONTRACT })
      return `{${listOf('claims', claim, 8 * MIB - 100)}}`
    }),
  },
  {
    name: 'heavy-events',
    description: '4 connections send events, 8 MiB a request, whose payloads are full of empty objects',
    prepare: async (stage) => ({ claim: await stage.claims({ count: 1 }) }),
    run: sendAll(4, '/v1/events/batch', ({ prepared }) => {
      return `{${listOf('events', heavyEvent(prepared.claim as string, 80_000), 8 * MIB - 100)}}`
    }),
  },
  {
    name: 'heavy-simulations',
    description: '32 connections simulate events, 1 MiB a request, whose payloads are full of empty objects',
    run: sendAll(32, '/v1/simulations', () => {
      const event = `{"at":"2026-01-01T00:00:00.000Z","type":"e","a":${emptyObjects(80_000)}}`
      const contract = `"contract":${JSON.stringify(HEAVY_CONTRACT)}`
      return `{${contract},${listOf('events', event, MIB - contract.length - 100)}}`
    }),
  },
  {
    name: 'heavy-schemas',
    description: '64 connections create claims from 20 schemas whose contracts are full of empty objects',
    prepare: async (stage) => {
      const prepared: Record<string, string> = {}
      for (let i = 0; i < 20; i++) {
        prepared[i] = (await stage.post('/v1/schemas', { contract: HEAVY_CONTRACT })).id as string
      }
      return prepared
    },
    run: sendAll(64, '/v1/claims/batch', ({ account, prepared }) => {
      const claims = Object.values(prepared).map((schema_id) => ({
        customer_id: account.customerId,
        schema_id,
      }))
      return JSON.stringify({ claims })
    }),
  },
  {
    name: 'heavy-bodies-kept',
    description:
      '400 connections send events of 60 KiB that are full of empty objects, one after the other, and stay',
    prepare: async (stage) => ({ claim: await stage.claims({ count: 1 }) }),
    run: sendAll(400, '/v1/events', ({ prepared }) => heavyEvent(prepared.claim as string, 20_000)),
  },
  {
    name: 'heavy-answers',
    description:
      '4 connections send batches of events to 200 claims under contracts of their own that are full of empty objects, and read no answer',
    prepare: async (stage) => {
      const claims: string[] = []
      for (let n = 0; n < stage.many(200); n++)
        claims.push(await stage.claims({ count: 1, contract: { ...HEAVY_CONTRACT, price: n } }))
      return { claims: claims.join() }
    },
    run: (target, signal) => {
      const events = (target.prepared.claims ?? '').split(',').map((claim_id) => ({ claim_id, type: 'e' }))
      const batch = post(target, '/v1/events/batch', { events })
      return runConcurrently(4, signal, async () => {
        const socket = await open(target, signal)
        if (!socket) return
        socket.write(batch.repeat(2))
        await ended(socket, signal)
        socket.destroy()
      })
    },
  },
]
