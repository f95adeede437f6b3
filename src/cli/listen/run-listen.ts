import { outputError, print, tell } from '../../platform/terminal/output.ts'
import { printable } from '../../platform/terminal/printable.ts'
import { listenForStop } from '../../platform/terminal/stop-signal.ts'
import { newSecret } from '../../webhooks/sign-delivery.ts'
import { reportTo } from '../run-command.ts'
import { followFeed } from './follow-feed.ts'
import { LocalDeliveries } from './local-deliveries.ts'
import { type FeedOptions, ServiceFeed } from './service-feed.ts'

export interface ListenOptions extends FeedOptions {
  forwardTo: string
  /** Null for one of this session. */
  secret: string | null
  fromStart: boolean
}

const PATIENCE_MS = 15_000

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

  const receiver = { url: forwardTo, secret: ownSecret, patienceMs: PATIENCE_MS }
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
