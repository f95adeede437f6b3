import type { Attack, Target } from '../attack.ts'
import { flood, get, onAnswer, post, request } from '../requests.ts'
import { LARGE_CONTRACT, type Stage } from '../stage.ts'
import { ended, open, pause, runConcurrently } from '../wire.ts'

const EVENT_STREAM = { headers: { Accept: 'text/event-stream' } }
const FEED = '/v1/notifications'

const withClaims =
  (claims: Parameters<Stage['claims']>[0]): NonNullable<Attack['prepare']> =>
  async (stage) => {
    const claim = await stage.claims(claims)
    await stage.notifications()
    return { claim }
  }
const largeClaims = withClaims({ count: 200, contract: LARGE_CONTRACT })

/** Asks on each of a number of connections for something that lasts, and leaves at once. */
const askAndLeave =
  (connections: number, render: (target: Target) => string): Attack['run'] =>
  (target, signal) =>
    runConcurrently(connections, signal, async () => {
      const socket = await open(target, signal)
      if (!socket) return
      onAnswer(socket)
      socket.write(render(target))
      await pause(100 * Math.random(), signal)
      socket.resetAndDestroy()
    })

export const notificationAttacks: Attack[] = [
  {
    name: 'notifications-filtered',
    description: '16 clients ask for notifications of a customer who has none, among thousands',
    prepare: withClaims({ count: 2_000 }),
    run: (target, signal) =>
      flood(target, signal, { connections: 16 }, () =>
        get(target, `${FEED}?customer_id=01934f6e-7d3a-7c1e-9f52-3b8e6d1f0a42`),
      ),
  },
  {
    name: 'notifications-large',
    description: '8 clients ask for pages of a hundred notifications with contracts of 60 KiB',
    prepare: largeClaims,
    run: (target, signal) =>
      flood(target, signal, { connections: 8 }, () => get(target, `${FEED}?limit=100&order=desc`)),
  },
  {
    name: 'notifications-wait',
    description: '200 clients ask for what comes next, wait for it, and leave',
    run: askAndLeave(200, (target) => get(target, `${FEED}?wait=30&types=test_clock.advanced`)),
  },
  {
    name: 'notifications-streams',
    description: '100 clients open streams of notifications, and leave',
    run: askAndLeave(100, (target) => request(target, 'GET', FEED, EVENT_STREAM)),
  },
  {
    name: 'notifications-unread',
    description: '40 clients open streams of notifications with contracts of 60 KiB, and read nothing',
    prepare: largeClaims,
    run: (target, signal) =>
      runConcurrently(40, signal, async () => {
        const socket = await open(target, signal)
        if (!socket) return
        socket.pause()
        socket.write(request(target, 'GET', FEED, EVENT_STREAM))
        await ended(socket, signal)
        socket.destroy()
      }),
  },
  {
    name: 'notifications-of-events',
    description:
      '8 clients submit batches of 500 events with a notification each, and 8 ask for the feed, which is not to show them',
    prepare: async (stage) => {
      await stage.askForEvents()
      return { claim: await stage.claims({ count: 1_000 }) }
    },
    run: async (target, signal) => {
      const { claim } = target.prepared as { claim: string }
      const batch = (number: number) => ({
        events: Array.from({ length: 500 }, (_, i) => {
          const nth = (1 + ((number * 500 + i) % 1_000)).toString(16).padStart(12, '0')
          return { claim_id: `${claim.slice(0, 24)}${nth}`, id: `${number}-${i}`, type: 'seen' }
        }),
      })
      await Promise.all([
        flood(target, signal, { connections: 8 }, (number) =>
          post(target, '/v1/events/batch', batch(number)),
        ),
        flood(target, signal, { connections: 8 }, () => get(target, `${FEED}?limit=1`)),
      ])
    },
  },
]
