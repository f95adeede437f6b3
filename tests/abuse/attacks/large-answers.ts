import type { Attack, Target } from '../attack.ts'
import { bySession, flood, get, onAnswer, request } from '../requests.ts'
import { OPEN_CONTRACT, type Stage } from '../stage.ts'
import { open, pause, runConcurrently } from '../wire.ts'

/** Together 64 MiB. */
const EVENT_COUNT = 256
/** 256 KiB. */
const PAYLOAD = JSON.stringify({ text: 'x'.repeat(256 * 1024 - 12) })
const DUE_CLAIMS = 20_000

/** The condition names the type of all events in the log, so the evaluation reads each event. */
const CONTRACT = { ...OPEN_CONTRACT, fulfillment_condition: { event: 'note', gte: 1 } }

const largeClaim = (stage: Stage) =>
  stage.claims({
    count: 1,
    contract: CONTRACT,
    events: { count: EVENT_COUNT, type: 'note', payload: PAYLOAD },
  })

const readsOf = (connections: number, path: (target: Target, number: number) => string) =>
  ((target, signal) =>
    flood(target, signal, { connections }, (number) =>
      get(target, path(target, number)),
    )) satisfies Attack['run']

export const largeAnswers: Attack[] = [
  {
    name: 'read-logs',
    description: '60 connections read a claim with a log of 64 MiB again and again',
    prepare: async (stage) => ({ claim: await largeClaim(stage) }),
    run: readsOf(60, ({ prepared }) => `/v1/claims/${prepared.claim}`),
  },
  {
    name: 'read-logs-during-check',
    description: '60 connections read a claim with a log of 64 MiB while a check moves 20,000 claims',
    duringCheck: true,
    seconds: 15,
    prepare: async (stage) => {
      const contract = { ...OPEN_CONTRACT, activity_window: 1, review_window: 1 }
      await stage.claims({ count: stage.many(DUE_CLAIMS), contract, dueAt: new Date() })
      return { claim: await largeClaim(stage) }
    },
    run: readsOf(60, ({ prepared }) => `/v1/claims/${prepared.claim}`),
  },
  {
    name: 'read-logs-and-leave',
    description: '60 connections read a claim with a log of 64 MiB and disconnect at once, again and again',
    prepare: async (stage) => ({ claim: await largeClaim(stage) }),
    run: (target, signal) =>
      runConcurrently(60, signal, async () => {
        const socket = await open(target, signal)
        socket?.write(get(target, `/v1/claims/${target.prepared.claim}`))
        await pause(30, signal)
        socket?.resetAndDestroy()
      }),
  },
  {
    name: 'explain-logs',
    description: '20 connections read the explanation of a claim with a log of 64 MiB',
    prepare: async (stage) => ({ claim: await largeClaim(stage) }),
    run: readsOf(20, ({ prepared }) => `/v1/claims/${prepared.claim}/explanation`),
  },
  {
    name: 'read-schemas',
    description: '10 connections list thousands of schemas of 62 KB each',
    prepare: async (stage) => {
      await stage.schemas(stage.many(5_000))
      return {}
    },
    run: readsOf(10, () => '/v1/schemas'),
  },
  {
    name: 'read-exports',
    description: '20 connections export 50,000 claims again and again',
    prepare: async (stage) => {
      await stage.claims({ count: stage.many(50_000) })
      return {}
    },
    run: readsOf(20, () => '/v1/claims/export'),
  },
  {
    name: 'read-one-byte',
    description: '40 connections read an export a few bytes at a time',
    prepare: async (stage) => {
      await stage.claims({ count: stage.many(50_000) })
      return {}
    },
    run: (target, signal) =>
      runConcurrently(40, signal, async () => {
        const socket = await open(target, signal)
        if (!socket) return
        socket.write(request(target, 'GET', '/v1/claims/export'))
        onAnswer(socket)
        while (!signal.aborted && !socket.destroyed) {
          socket.pause()
          await pause(200, signal)
          socket.read(64)
        }
        socket.destroy()
      }),
  },
  {
    name: 'read-tokens',
    description:
      '20 connections list the 1,000 valid and 1,000 revoked tokens of an account; the list has no pages',
    prepare: async (stage) => {
      await stage.tokens(stage.many(999))
      await stage.tokens(stage.many(1_000), { areRevoked: true })
      return stage.signIn()
    },
    run: (target, signal) =>
      flood(target, signal, { connections: 20 }, () =>
        request(target, 'GET', '/v1/tokens', bySession(target)),
      ),
  },
  {
    name: 'lists',
    description: '64 connections list claims with cursors deep in a list of 50,000, by every filter',
    prepare: async (stage) => ({ first: await stage.claims({ count: stage.many(50_000) }) }),
    run: readsOf(64, ({ account, prepared }, number) => {
      const prefix = (prepared.first as string).slice(0, 24)
      const cursor = `${prefix}${(1 + ((number * 7919) % 2_000)).toString(16).padStart(12, '0')}`
      const filters = [
        '',
        '&status=OPEN',
        `&customer_id=${account.customerId}`,
        `&search=${prefix.slice(0, 8)}`,
      ]
      return `/v1/claims?limit=100&order=desc&after=${cursor}${filters[number % filters.length]}`
    }),
  },
  {
    name: 'overviews',
    description: '32 connections read overviews, each request with another period and time zone',
    prepare: async (stage) => {
      await stage.claims({ count: stage.many(50_000) })
      return {}
    },
    run: readsOf(32, (_, number) => {
      const zones = Intl.supportedValuesOf('timeZone')
      return `/v1/overview?days=${1 + (number % 366)}&time_zone=${zones[number % zones.length]}`
    }),
  },
]
