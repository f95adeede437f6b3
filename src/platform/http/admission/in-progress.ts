import type { FastifyReply, onRequestHookHandler, onSendHookHandler } from 'fastify'
import { unavailable } from '../../../kernel/errors.ts'
import { FairSemaphore, type Permit } from '../../concurrency/fair-semaphore.ts'
import {
  ACQUIRE_TIMEOUT_MS,
  MAX_BATCH_RESPONSES,
  MAX_BATCHES_PER_ACCOUNT,
  MAX_QUEUED,
  MAX_QUEUED_BATCHES_PER_ACCOUNT,
  MAX_RESPONSES,
  MAX_RESPONSES_PER_ACCOUNT,
  MAX_SIMULATIONS,
  MAX_SIMULATIONS_PER_ACCOUNT,
} from '../limits.ts'
import { resetConnection, whileConnected } from './while-connected.ts'

/*
 * How many requests with large responses are in progress. A response is up to 1 MiB in memory for as long as the client reads it.
 *
 * A read acquires its permit when its response is ready to be sent. A batch or a simulation acquires its permit when its body has
 * arrived, before the body is parsed: what a batch did must be answered, so it must not begin without a permit.
 * While a response is sent its permit is preemptible: the connection of a slow client is reset if other requests wait.
 */

const queue = {
  maxQueued: MAX_QUEUED,
  maxQueuedPerKey: MAX_QUEUED_BATCHES_PER_ACCOUNT,
  timeoutMs: ACQUIRE_TIMEOUT_MS,
}

const responses = new FairSemaphore({
  max: MAX_RESPONSES,
  maxPerKey: MAX_RESPONSES_PER_ACCOUNT,
  maxQueued: MAX_RESPONSES,
  maxQueuedPerKey: MAX_RESPONSES_PER_ACCOUNT,
  timeoutMs: ACQUIRE_TIMEOUT_MS,
  createError: () => unavailable('Too many large responses are being sent.'),
})

const batches = new FairSemaphore({
  ...queue,
  max: Number.POSITIVE_INFINITY,
  maxPerKey: MAX_BATCHES_PER_ACCOUNT,
  maxPreemptible: MAX_BATCH_RESPONSES,
  createError: () => unavailable('Too many batches are in progress, or their responses are not read.'),
})

const simulations = new FairSemaphore({
  ...queue,
  max: MAX_SIMULATIONS,
  maxPerKey: MAX_SIMULATIONS_PER_ACCOUNT,
  createError: () => unavailable('Too many simulations are in progress, or their responses are not read.'),
})

declare module 'fastify' {
  interface FastifyRequest {
    /** Acquires the permit of a batch or a simulation. The parser calls it when the body has arrived. */
    acquirePermit: (() => Promise<void>) | null
    permit: Permit | null
  }
}

interface Hooks {
  onRequest: onRequestHookHandler
  onSend: onSendHookHandler
}

const limitedBy = (semaphore: FairSemaphore): Hooks => ({
  onRequest: (request, reply, done) => {
    request.acquirePermit = async () => {
      request.permit = await acquire(semaphore, reply)
    }
    done()
  },
  // A large response acquires a permit of its own.
  onSend: (request, _reply, payload, done) => {
    request.permit?.release()
    done(null, payload)
  },
})

/** The hooks of batch routes. @throws UNAVAILABLE */
export const limitBatches = limitedBy(batches)

/** The hooks of simulations. @throws UNAVAILABLE */
export const limitSimulations = limitedBy(simulations)

/** Acquires the permit of a large response. It is released when the connection is done with the response. */
export async function acquireResponsePermit(reply: FastifyReply): Promise<void> {
  const { request, raw } = reply
  const permit = request.permit ?? (await newResponsePermit(reply))
  request.permit = null
  permit.makePreemptible(() => resetConnection(raw))
}

/** A request that may have changed something must get a response. */
const newResponsePermit = async (reply: FastifyReply): Promise<Permit> =>
  reply.request.method === 'GET'
    ? await acquire(responses, reply)
    : releasedAtClose(reply, batches.forceAcquire(reply.request.userId))

const acquire = async (semaphore: FairSemaphore, reply: FastifyReply): Promise<Permit> => {
  const { request, server, raw } = reply
  const permit = await whileConnected(raw, server.stopSignal, (signal) =>
    semaphore.acquire(request.userId, 1, { signal }),
  )
  return releasedAtClose(reply, permit)
}

/** Releases the permit also if the response is never sent. */
function releasedAtClose({ raw }: FastifyReply, permit: Permit): Permit {
  if (raw.destroyed) permit.release()
  else raw.once('close', permit.release)
  return permit
}
