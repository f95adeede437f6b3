import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { authenticateAgain } from '../accounts/identity/authenticate.ts'
import type { SessionApi } from '../accounts/sessions/session-api.ts'
import type { App } from '../app.ts'
import { ServiceError } from '../kernel/errors.ts'
import { FairSemaphore } from '../platform/concurrency/fair-semaphore.ts'
import { resetConnection, whileConnected } from '../platform/http/admission/while-connected.ts'
import { EVENT_STREAM } from '../platform/http/responses/responses.ts'
import { MAX_STREAMS, MAX_STREAMS_PER_ACCOUNT, STREAM_RETRY_MS } from './limits.ts'
import { presentNotification } from './notification-bodies.ts'
import {
  awaitNotifications,
  type FeedPage,
  type FeedRequest,
  readNotifications,
} from './read-notifications.ts'

const streams = new FairSemaphore({
  max: MAX_STREAMS,
  maxPerKey: MAX_STREAMS_PER_ACCOUNT,
  createError: tooManyStreams,
})

/** The services that a stream uses. */
export interface StreamContext {
  app: App
  sessions: SessionApi
  heartbeatMs: number
}

/**
 * Responds with server-sent events until the client disconnects, the token ends or the server stops.
 * @throws CURSOR_EXPIRED; RATE_LIMITED if the account or the server has too many streams
 */
export async function streamNotifications(
  { app, sessions, heartbeatMs }: StreamContext,
  request: FastifyRequest,
  reply: FastifyReply,
  feed: FeedRequest,
): Promise<FastifyReply> {
  const { raw } = reply
  const permit = await streams.acquire(feed.userId)
  raw.once('close', permit.release)
  try {
    // An error at the start becomes an error response.
    const first = await readNotifications(app, feed)
    const next = async (after: bigint) => {
      await authenticateAgain(app, sessions, request)
      return whileConnected(raw, request.server.stopSignal, (signal) =>
        awaitNotifications(app, { ...feed, after }, heartbeatMs, signal),
      )
    }
    const events = toEvents(first, next, (number) => app.feedCursors.write(feed.userId, number))
    reply.header('Content-Type', EVENT_STREAM).header('X-Accel-Buffering', 'no')
    return reply.send(Readable.from(resetOnError(request, reply, events), { highWaterMark: 1 }))
  } catch (error) {
    permit.release()
    throw error
  }
}

function tooManyStreams(): ServiceError {
  return new ServiceError(
    'RATE_LIMITED',
    `The account has ${MAX_STREAMS_PER_ACCOUNT} open streams, or the server has too many.`,
    { headers: { 'Retry-After': '5' } },
  )
}

async function* toEvents(
  first: FeedPage,
  next: (after: bigint) => Promise<FeedPage>,
  cursorOf: (number: bigint) => string,
): AsyncGenerator<string> {
  yield `retry: ${STREAM_RETRY_MS}\n\n`
  for (let page = first; ; page = await next(page.next)) {
    for await (const notifications of page.notifications) {
      for (const notification of notifications) {
        const data = presentNotification(notification).text
        yield `id: ${cursorOf(BigInt(notification.number))}\nevent: ${notification.type}\ndata: ${data}\n\n`
      }
    }
    // A message without data is no event, but a browser stores its id. A client that reconnects then continues after the
    // notifications that the filters skipped.
    yield `id: ${cursorOf(page.next)}\n\n`
  }
}

/** A stream can end only with an error. The connection is reset, and a client that reconnects gets the error as a response. */
async function* resetOnError(
  { server, log }: FastifyRequest,
  { raw }: FastifyReply,
  events: AsyncGenerator<string>,
): AsyncGenerator<string> {
  try {
    yield* events
  } catch (error) {
    if (server.stopSignal.aborted) return
    if (!(error instanceof ServiceError)) log.error({ err: error }, 'notification stream failed')
    resetConnection(raw)
  }
}
