import { randomUUID } from 'node:crypto'
import type { Attack, Target } from '../attack.ts'
import { bySession, flood, get, post, request } from '../requests.ts'
import { LARGE_CONTRACT, OPEN_CONTRACT } from '../stage.ts'
import { open, runConcurrently } from '../wire.ts'

const claimOf = ({ account }: Target, contract: object = OPEN_CONTRACT) => ({
  customer_id: account.customerId,
  contract,
})

const posts = (connections: number, path: string, body: (target: Target, number: number) => unknown) =>
  ((target, signal) =>
    flood(target, signal, { connections }, (number) =>
      post(target, path, body(target, number)),
    )) satisfies Attack['run']

const aliasOf = (number: number) => `alias-${(number % 50).toString().padStart(8, '0')}`

export const recordAttacks: Attack[] = [
  {
    name: 'hot-claim',
    description: '128 connections submit to one claim',
    prepare: async (stage) => ({ claim: await stage.claims({ count: 1 }) }),
    run: posts(128, '/v1/events', ({ prepared }) => ({ claim_id: prepared.claim, type: 'note' })),
  },
  {
    name: 'event-batches',
    description: '16 connections submit batches of 1000 events',
    prepare: async (stage) => ({ claim: await stage.claims({ count: 1_000 }) }),
    run: posts(16, '/v1/events/batch', ({ prepared }) => {
      const prefix = (prepared.claim as string).slice(0, 24)
      const events = Array.from({ length: 1_000 }, (_, i) => ({
        claim_id: `${prefix}${(1 + i).toString(16).padStart(12, '0')}`,
        type: 'note',
      }))
      return { events }
    }),
  },
  {
    name: 'keyed-batches',
    description: '16 connections create 1000 claims a request, each request with a key',
    run: (target, signal) => {
      const body = JSON.stringify({ claims: Array.from({ length: 1_000 }, () => claimOf(target)) })
      return flood(target, signal, { connections: 16 }, () =>
        post(target, '/v1/claims/batch', body, { headers: { 'Idempotency-Key': randomUUID() } }),
      )
    },
  },
  {
    name: 'one-key',
    description:
      '64 connections create claims with the same key, and others with keys of their own, and the half of them leaves at once',
    run: async (target, signal) => {
      const create = (key: string) =>
        post(target, '/v1/claims', claimOf(target), { headers: { 'Idempotency-Key': key } })
      const keyOf = (number: number) => (number % 2 ? 'the same' : randomUUID())
      await Promise.all([
        flood(target, signal, { connections: 32 }, (number) => create(keyOf(number))),
        runConcurrently(32, signal, async () => {
          const socket = await open(target, signal)
          socket?.end(create(randomUUID()), () => socket.resetAndDestroy())
        }),
      ])
    },
  },
  {
    name: 'large-echoes',
    description:
      '16 connections submit batches of 1000 events to a claim whose contract has 62 KB, and get it back 1000 times',
    prepare: async (stage) => ({ claim: await stage.claims({ count: 1, contract: LARGE_CONTRACT }) }),
    run: posts(16, '/v1/events/batch', ({ prepared }) => ({
      events: Array.from({ length: 1_000 }, (_, i) => ({
        claim_id: prepared.claim,
        type: 'note',
        id: `${i}`,
      })),
    })),
  },
  {
    name: 'large-echoes-of-schema',
    description: '16 connections create 1000 claims a request from a schema of 62 KB',
    prepare: async (stage) => {
      const { id } = await stage.post('/v1/schemas', { contract: LARGE_CONTRACT })
      return { schema: id as string }
    },
    run: posts(16, '/v1/claims/batch', ({ account, prepared }) => ({
      claims: Array.from({ length: 1_000 }, () => ({
        customer_id: account.customerId,
        schema_id: prepared.schema,
      })),
    })),
  },
  {
    name: 'large-decisive-logs',
    description: '16 connections submit to 20 claims whose conditions need logs of 32 MiB',
    prepare: async (stage) => {
      const contract = { ...OPEN_CONTRACT, fulfillment_condition: { event: 'note', gte: 1 } }
      const events = { count: 128, type: 'note', payload: JSON.stringify({ text: 'x'.repeat(255 * 1024) }) }
      return { first: await stage.claims({ count: 20, contract, events }) }
    },
    run: posts(16, '/v1/events', ({ prepared }, number) => ({
      claim_id: `${(prepared.first as string).slice(0, 24)}${(1 + (number % 20)).toString(16).padStart(12, '0')}`,
      type: 'note',
      id: `again-${number % 40}`,
    })),
  },
  {
    name: 'creations',
    description: '64 connections create claims',
    run: posts(64, '/v1/claims', (target) => claimOf(target)),
  },
  {
    name: 'creations-of-long-contracts',
    description: '64 connections create claims with contracts of 62 KB, one a request',
    run: posts(64, '/v1/claims', (target) => claimOf(target, LARGE_CONTRACT)),
  },
  {
    name: 'creations-at-the-turnstile',
    description: '32 connections create claims, and 32 read the end of that list all the time',
    run: (target, signal) => {
      const create = posts(32, '/v1/claims', (target: Target) => claimOf(target))
      const read = flood(target, signal, { connections: 32 }, () =>
        get(target, '/v1/claims?order=desc&limit=1'),
      )
      return Promise.all([create(target, signal), read]).then(() => {})
    },
  },
  {
    name: 'creation-batches',
    description: '16 connections create claims, 1000 a request',
    run: (target, signal) => {
      const body = JSON.stringify({ claims: Array.from({ length: 1_000 }, () => claimOf(target)) })
      return flood(target, signal, { connections: 16 }, () => post(target, '/v1/claims/batch', body))
    },
  },
  {
    name: 'large-creations',
    description: '16 connections create claims with contracts of 62 KB, 120 a request',
    run: (target, signal) => {
      const body = JSON.stringify({
        claims: Array.from({ length: 120 }, () => claimOf(target, LARGE_CONTRACT)),
      })
      return flood(target, signal, { connections: 16 }, () => post(target, '/v1/claims/batch', body))
    },
  },
  {
    name: 'large-schemas',
    description: '32 connections create schemas of 62 KB',
    run: (target, signal) => {
      const body = JSON.stringify({ contract: LARGE_CONTRACT })
      return flood(target, signal, { connections: 32 }, () => post(target, '/v1/schemas', body))
    },
  },
  {
    name: 'aliases',
    description: '64 connections create candidates with the same 50 aliases, which are mostly taken',
    run: posts(64, '/v1/candidates', ({ account }, number) => ({
      candidate_alias: aliasOf(number),
      customer_uuid: account.userId,
      contract: OPEN_CONTRACT,
    })),
  },
  {
    name: 'customers',
    description: '64 connections create customers, half of whom exist',
    run: posts(64, '/v1/customers', (_, number) => ({
      external_id: number % 2 === 0 ? `same-${number % 100}` : randomUUID(),
    })),
  },
  {
    name: 'tokens',
    description: '64 connections create tokens, as many as an account may have and more',
    prepare: (stage) => stage.signIn(),
    run: (target, signal) =>
      flood(target, signal, { connections: 64 }, () =>
        post(target, '/v1/tokens', { name: 'one of many' }, bySession(target)),
      ),
  },
  {
    name: 'one-record',
    description: '64 connections rename one customer and replace one schema',
    prepare: async (stage) => {
      const { id } = await stage.post('/v1/schemas', { contract: OPEN_CONTRACT })
      return { schema: id as string }
    },
    run: (target, signal) =>
      flood(target, signal, { connections: 64 }, (number) =>
        number % 2 === 0
          ? request(target, 'PATCH', `/v1/customers/${target.account.customerId}`, {
              body: JSON.stringify({ name: `${number}` }),
            })
          : request(target, 'PATCH', `/v1/schemas/${target.prepared.schema}`, {
              body: JSON.stringify({ contract: OPEN_CONTRACT }),
            }),
      ),
  },
  {
    name: 'revocations',
    description: '32 connections revoke the account’s tokens, and every server is notified of each',
    prepare: async (stage) => ({
      tokens: (await stage.tokens(stage.many(5_000))).join(' '),
      ...(await stage.signIn()),
    }),
    run: (target, signal) => {
      const ids = (target.prepared.tokens as string).split(' ')
      return flood(target, signal, { connections: 32 }, (number) =>
        request(target, 'DELETE', `/v1/tokens/${ids[number % ids.length]}`, bySession(target)),
      )
    },
  },
  {
    name: 'invitation-links',
    description:
      '64 connections make invitations, as many as an account may have and more, and list them all',
    prepare: (stage) => stage.signIn(),
    run: (target, signal) =>
      flood(target, signal, { connections: 64 }, (number) =>
        number % 8 === 0
          ? request(target, 'GET', '/v1/invitations', bySession(target))
          : post(target, '/v1/invitations', { email: null }, bySession(target)),
      ),
  },
  {
    name: 'test-clocks',
    description: '64 connections create test clocks',
    run: posts(64, '/v1/test_clocks', () => ({ frozen_time: '2026-01-01T00:00:00Z' })),
  },
]
