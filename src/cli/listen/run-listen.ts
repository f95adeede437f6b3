import { setTimeout as pause } from 'node:timers/promises'
import { OperatorError } from '../../kernel/operator-error.ts'
import { outputError, print, printProgress } from '../../platform/terminal/output.ts'
import { printable } from '../../platform/terminal/printable.ts'
import { listenForStop } from '../../platform/terminal/stop-signal.ts'
import { newSecret } from '../../webhooks/sign-delivery.ts'
import { DELIVERY_TIMEOUT_MS, MAX_RECONNECT_PAUSE_MS, MIN_RECONNECT_PAUSE_MS } from '../limits.ts'
import { reportTo } from '../run-command.ts'
import { faultInWords, LocalDeliveries } from './local-deliveries.ts'
import {
  CursorRefused,
  type FeedOptions,
  type Notification,
  parseNotification,
  ServiceFeed,
} from './service-feed.ts'

interface ListenOptions extends FeedOptions {
  forwardTo: string
  /** Null for a new secret. */
  secret: string | null
  fromStart: boolean
}

/**
 * Delivers notifications to the local address until a signal arrives.
 * @throws OperatorError if standard output is closed
 */
export async function runListen({ forwardTo, secret, fromStart, ...feed }: ListenOptions): Promise<void> {
  const unread = new AbortController()
  process.stdout.on('error', (error) => unread.abort(outputError(error)))
  const stop = AbortSignal.any([listenForStop(), unread.signal])
  const report = reportTo(process.stdout)
  const ownSecret = secret ?? newSecret()
  await print(`Delivering the notifications of ${printable(feed.url)} to ${printable(forwardTo)}`)
  if (secret === null) await print(`Signed with the secret of this session: ${ownSecret}`)

  const receiver = { url: forwardTo, secret: ownSecret, timeoutMs: DELIVERY_TIMEOUT_MS }
  const deliveries = new LocalDeliveries(receiver, printProgress, stop)
  try {
    for await (const notification of followFeed(new ServiceFeed(feed, stop), { fromStart, report, stop })) {
      await deliveries.deliver(notification)
    }
  } catch (error) {
    if (!stop.aborted) throw error
  }
  unread.signal.throwIfAborted()
  printProgress(`Stopped: ${deliveries.summary}`)
}

interface FollowOptions {
  /** Begins with the oldest stored notification, otherwise with new ones. */
  fromStart: boolean
  /** Receives the state of the connection. */
  report: (line: string) => void
  stop: AbortSignal
}

/**
 * Yields each notification once and in order until the signal. If the connection to the service breaks, reconnects and continues after
 * the last notification.
 * @throws OperatorError if a retry is useless
 */
async function* followFeed(
  feed: ServiceFeed,
  { fromStart, report, stop }: FollowOptions,
): AsyncGenerator<Notification> {
  let after: string | null = null
  let hasCursor = fromStart
  let isStarted = false
  let failures = 0
  const onResponse = () => {
    if (failures > 0) report('The service answers again.')
    if (!isStarted)
      report(`Following from ${fromStart ? 'the oldest notification' : 'now'} on. Press Ctrl-C to stop.`)
    isStarted = true
    failures = 0
  }
  for (;;) {
    let isOpen = false
    try {
      if (!hasCursor) after = await feed.findEnd()
      hasCursor = true
      for await (const { cursor, json } of await feed.open(after)) {
        const notification = json === null ? null : parseNotification(json)
        // Each stream begins with at least a cursor.
        isOpen = true
        onResponse()
        if (notification !== null) yield notification
        after = cursor ?? after
      }
    } catch (error) {
      if (stop.aborted || error instanceof OperatorError) throw error
      if (error instanceof CursorRefused && after !== null) {
        after = null
        report('The next notifications were removed from the service. Continuing with the oldest stored one.')
        continue
      }
      // Streams end now and then. Only if the next request fails too, the service is unavailable.
      if (!isOpen && failures++ === 0) {
        report(`The service does not answer (${faultInWords(error)}): trying again until it does.`)
      }
    }
    const pauseMs = Math.min(MIN_RECONNECT_PAUSE_MS * 2 ** Math.max(0, failures - 1), MAX_RECONNECT_PAUSE_MS)
    await pause(pauseMs, undefined, { signal: stop })
  }
}
