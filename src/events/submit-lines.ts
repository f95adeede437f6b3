import type { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import { ServiceError, unavailable } from '../kernel/errors.ts'
import { withRejectionHandler } from '../kernel/promises.ts'
import { runCooperatively } from '../platform/concurrency/cooperative.ts'
import { FairSemaphore } from '../platform/concurrency/fair-semaphore.ts'
import type { Rate } from '../platform/http/admission/rate-limit.ts'
import { type Item, parseLine } from '../platform/http/bodies/parse-json.ts'
import { type Line, readLines, TOO_LONG } from '../platform/http/bodies/read-lines.ts'
import { MAX_BODY_BYTES, MAX_UNESTIMATED_BYTES } from '../platform/http/limits.ts'
import { toJsonInTurn } from '../platform/http/responses/json-stream.ts'
import { processLines } from '../platform/http/responses/process-lines.ts'
import type { EventResult, EventResults } from './event-results.ts'
import {
  LONG_LINE_TIMEOUT_MS,
  MAX_LONG_LINES,
  MAX_LONG_LINES_PER_ACCOUNT,
  MAX_QUEUED_LONG_LINES,
  MAX_QUEUED_LONG_LINES_PER_ACCOUNT,
} from './limits.ts'
import type { EventRequest } from './submission/pending-submission.ts'

/** @param place of the line among all, from 0 on */
type Read = (item: Item, place: number) => EventRequest
type ReadHere = (item: Item) => EventRequest

/** The response to a stream of submissions: one result per line, in order. */
export function submitLines(
  body: Readable,
  request: FastifyRequest,
  read: Read,
  results: EventResults,
): AsyncGenerator<string> {
  const present = async (result: EventResult) => {
    const body = await results.present(result)
    return `${await toJsonInTurn(() => body)}\n`
  }
  return processLines(readLines(body, MAX_BODY_BYTES), lineSubmitter(request, read, results), present)
}

/** The result of a line that is skipped. */
const SKIPPED: EventResult = { body: {}, contract: '' }

/**
 * Reads the lines one after the other, in steps, so submissions keep the order of the lines. After the caller has disconnected,
 * lines that were not read are skipped.
 */
function lineSubmitter(request: FastifyRequest, read: Read, results: EventResults) {
  let last: Promise<unknown> = Promise.resolve()
  let lines = 0
  const isDisconnected = () => request.raw.socket.destroyed
  return async (line: Line): Promise<EventResult> => {
    const place = lines++
    const readHere = (item: Item) => read(item, place)
    const isShort = line === TOO_LONG || line.length <= MAX_UNESTIMATED_BYTES
    const readNext = () =>
      isShort ? runCooperatively(readLine(request, line, readHere)) : readLong(request, line, readHere)
    const countAndRead = () =>
      request.rate ? reserveOne(request.rate).then((error) => error ?? readNext()) : readNext()
    const reading = withRejectionHandler(last.then(() => (isDisconnected() ? null : countAndRead())))
    last = reading
    const event = await reading
    return event === null ? SKIPPED : results.submit(event)
  }
}

/** Returns the error if the rate limit could not be counted. */
const reserveOne = (rate: Rate): Promise<Error | undefined> =>
  rate.reserve(1).then(
    () => undefined,
    (error: Error) => error,
  )

const longLines = new FairSemaphore({
  max: MAX_LONG_LINES,
  maxPerKey: MAX_LONG_LINES_PER_ACCOUNT,
  maxQueued: MAX_QUEUED_LONG_LINES,
  maxQueuedPerKey: MAX_QUEUED_LONG_LINES_PER_ACCOUNT,
  timeoutMs: LONG_LINE_TIMEOUT_MS,
  createError: () => unavailable('Too many long lines are being parsed.'),
})

async function readLong(request: FastifyRequest, line: Line, read: ReadHere): Promise<EventRequest | Error> {
  const permit = await longLines.acquire(request.userId).catch((error: ServiceError) => error)
  if (permit instanceof Error) return permit
  try {
    return await runCooperatively(readLine(request, line, read))
  } finally {
    permit.release()
  }
}

/** The submission of a line, or its error. */
function* readLine(
  request: FastifyRequest,
  line: Line,
  read: ReadHere,
): Generator<void, EventRequest | Error> {
  try {
    request.rate?.takeItem()
    return read(line === TOO_LONG ? tooLong() : yield* parseLine(line))
  } catch (error) {
    return error as Error
  }
}

const tooLong = () =>
  new ServiceError('PAYLOAD_TOO_LARGE', `The line is longer than ${MAX_BODY_BYTES / 1024 / 1024} MiB.`)
