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
  createError: () => tooManyStreams(),
})

export interface Streaming {
  app: App
  sessions: SessionApi
  heartbeatMs: number
}

/**
 * Responds with server-sent events until the client disconnects, the token ends or the server stops.
 * @throws CURSOR_EXPIRED, RATE_LIMITED if the account has too many streams
 */
export async function streamNotifications(
  { app, sessions, heartbeatMs }: Streaming,
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
      return whileConnected(raw, request.server.stops, (gone) =>
        awaitNotifications(app, { ...feed, after }, heartbeatMs, gone),
      )
    }
    const events = toEvents(first, next, (number) => app.feedCursors.write(feed.userId, number))
    reply.header('Content-Type', EVENT_STREAM).header('X-Accel-Buffering', 'no')
    return reply.send(Readable.from(endWith(request, reply, events), { highWaterMark: 1 }))
  } catch (error) {
    permit.release()
    throw error
  }
}

const tooManyStreams = () =>
  new ServiceError(
    'RATE_LIMITED',
    `The account has ${MAX_STREAMS_PER_ACCOUNT} open streams, or the server has too many.`,
    { headers: { 'Retry-After': '5' } },
  )

async function* toEvents(
  first: FeedPage,
  next: (after: bigint) => Promise<FeedPage>,
  cursorOf: (number: bigint) => string,
): AsyncGenerator<string> {
  yield `retry: ${STREAM_RETRY_MS}\n\n`
  for (let page = first; ; page = await next(page.next)) {
    for await (const some of page.notifications) {
      for (const one of some) {
        const data = presentNotification(one).text
        yield `id: ${cursorOf(BigInt(one.number))}\nevent: ${one.type}\ndata: ${data}\n\n`
      }
    }
    // Without data it is no event, but a browser keeps the id. So notifications that the filters skip are not read
    // again.
    yield `id: ${cursorOf(page.next)}\n\n`
  }
}

/** A stream has no regular end. A client that reconnects gets the error as a response. */
async function* endWith(
  { server, log }: FastifyRequest,
  { raw }: FastifyReply,
  events: AsyncGenerator<string>,
): AsyncGenerator<string> {
  try {
    yield* events
  } catch (error) {
    if (server.stops.aborted) return
    if (!(error instanceof ServiceError)) log.error({ err: error }, 'notification stream failed')
    resetConnection(raw)
  }
}
