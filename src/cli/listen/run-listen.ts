import { setTimeout as pause } from 'node:timers/promises'
import { OperatorError } from '../../kernel/operator-error.ts'
import { outputError, print, tell } from '../../platform/terminal/output.ts'
import { printable } from '../../platform/terminal/printable.ts'
import { listenForStop } from '../../platform/terminal/stop-signal.ts'
import { newSecret } from '../../webhooks/sign-delivery.ts'
import { reportTo } from '../run-command.ts'
import { faultInWords, LocalDeliveries } from './local-deliveries.ts'
import {
  CursorRefused,
  type FeedOptions,
  type Notification,
  parseNotification,
  ServiceFeed,
} from './service-feed.ts'

export interface ListenOptions extends FeedOptions {
  forwardTo: string
  /** Null for one of this session. */
  secret: string | null
  fromStart: boolean
}

const DELIVERY_TIMEOUT_MS = 15_000

/**
 * Delivers notifications to the local address until a signal arrives.
 * @throws OperatorError if standard output is closed
 */
export async function runListen({ forwardTo, secret, fromStart, ...feed }: ListenOptions): Promise<void> {
  const unread = new AbortController()
  process.stdout.on('error', (error) => unread.abort(outputError(error)))
  const stop = AbortSignal.any([listenForStop(), unread.signal])
  const say = reportTo(process.stdout)
  const ownSecret = secret ?? newSecret()
  await print(`Delivering the notifications of ${printable(feed.url)} to ${printable(forwardTo)}`)
  if (secret === null) await print(`Signed with the secret of this session: ${ownSecret}`)

  const receiver = { url: forwardTo, secret: ownSecret, patienceMs: DELIVERY_TIMEOUT_MS }
  const deliveries = new LocalDeliveries(receiver, tell, stop)
  try {
    for await (const notification of followFeed(new ServiceFeed(feed, stop), { fromStart, say, stop })) {
      await deliveries.deliver(notification)
    }
  } catch (error) {
    if (!stop.aborted) throw error
  }
  unread.signal.throwIfAborted()
  tell(`Stopped: ${deliveries.summary}`)
}

const FIRST_PAUSE_MS = 500
const MAX_PAUSE_MS = 8_000

interface Following {
  /** Begins with the oldest that is kept; else with what comes after this moment. */
  fromStart: boolean
  /** Prints the state of the connection. */
  say: (line: string) => void
  stop: AbortSignal
}

/**
 * Each notification once and in order, until it is stopped. If the service goes away it is asked again until it is back,
 * and what happened meanwhile follows then.
 * @throws OperatorError if trying again would not help
 */
async function* followFeed(
  feed: ServiceFeed,
  { fromStart, say, stop }: Following,
): AsyncGenerator<Notification> {
  let after: string | null = null
  let hasPlace = fromStart
  let hasBegun = false
  let failures = 0
  const answers = () => {
    if (failures > 0) say('The service answers again.')
    if (!hasBegun) say(`Following from ${fromStart ? 'the oldest notification' : 'now'} on. Ctrl-C ends it.`)
    hasBegun = true
    failures = 0
  }
  for (;;) {
    let isOpen = false
    try {
      if (!hasPlace) after = await feed.findEnd()
      hasPlace = true
      for await (const { cursor, json } of await feed.open(after)) {
        const notification = json === null ? null : parseNotification(json)
        // The service begins each stream with its cursor, if with nothing else.
        isOpen = true
        answers()
        if (notification !== null) yield notification
        after = cursor ?? after
      }
    } catch (error) {
      if (stop.aborted || error instanceof OperatorError) throw error
      if (error instanceof CursorRefused && after !== null) {
        after = null
        say('The service has not kept all that follows: going on with the oldest notification that it has.')
        continue
      }
      // A stream breaks off now and then. If it cannot be opened again, the service is away.
      if (!isOpen && failures++ === 0) {
        say(`The service does not answer (${faultInWords(error)}): trying again until it does.`)
      }
    }
    const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** Math.max(0, failures - 1), MAX_PAUSE_MS)
    await pause(pauseMs, undefined, { signal: stop })
  }
}
