import { pipeline, Readable, type Transform } from 'node:stream'
import { promisify } from 'node:util'
import {
  brotliCompress,
  constants,
  createBrotliCompress,
  createGzip,
  createZstdCompress,
  gzip,
  zstdCompress,
} from 'node:zlib'
import type { FastifyReply, FastifyRequest, onSendHookHandler } from 'fastify'
import { withRejectionHandler } from '../../../kernel/promises.ts'
import { chooseCoding } from './quality-values.ts'
import { isWhole, type Whole } from './static-response.ts'

/** Characters, or bytes, from which on it pays: less goes in one packet as it is. */
const FROM = 1_024
/** At once, in one process. Beyond, answers are sent as they are: nobody waits for it. */
const MOST = 8

interface Encoding {
  whole: (answer: Whole) => Promise<Buffer>
  stream: () => Transform
}

// Fast, and with a small window: what takes megabytes for each answer would be too much for what is gained.
const ZSTD = { params: { [constants.ZSTD_c_compressionLevel]: 3, [constants.ZSTD_c_windowLog]: 18 } }
const BROTLI = {
  params: {
    [constants.BROTLI_PARAM_QUALITY]: 4,
    [constants.BROTLI_PARAM_LGWIN]: 18,
    [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
  },
}
const GZIP = { level: 4 }
const toZstd = promisify<Whole, typeof ZSTD, Buffer>(zstdCompress)
const toBrotli = promisify<Whole, typeof BROTLI, Buffer>(brotliCompress)
const toGzip = promisify<Whole, typeof GZIP, Buffer>(gzip)

/** All work in the thread pool. */
const ENCODINGS = {
  zstd: { whole: (answer) => toZstd(answer, ZSTD), stream: () => createZstdCompress(ZSTD) },
  br: { whole: (answer) => toBrotli(answer, BROTLI), stream: () => createBrotliCompress(BROTLI) },
  gzip: { whole: (answer) => toGzip(answer, GZIP), stream: () => createGzip(GZIP) },
} satisfies Record<string, Encoding>
/** The fastest first. */
const NAMES = ['zstd', 'br', 'gzip'] as const

let underWay = 0

/** Routes whose answers may be large. Those of a single deed are short, and are to be quick: they do not even have the hook. */
export const mayAnswerMuch = (method: unknown, hasItems: boolean): boolean => method === 'GET' || hasItems

/** The last hook of an answer: compresses JSON for who asks for it, if it pays. Lines and events are sent as they come. */
export const compressAnswer: onSendHookHandler = (request, reply, payload, done) => {
  if (!isWorthIt(reply, payload)) return done(null, payload)
  reply.header('Vary', 'Accept-Encoding')
  const chosen =
    request.method === 'HEAD' || underWay >= MOST || isToStay(request, reply)
      ? null
      : chooseCoding(request.headers['accept-encoding'], NAMES)
  if (chosen === null) return done(null, payload)
  const { whole, stream } = ENCODINGS[chosen]
  underWay++
  if (payload instanceof Readable) {
    const compressed = stream()
    pipeline(payload, compressed, () => {
      underWay--
    })
    noteEncoding(reply, chosen)
    return done(null, compressed)
  }
  const sent = whole(payload).then(
    (bytes) => {
      underWay--
      noteEncoding(reply, chosen)
      done(null, bytes)
    },
    () => {
      underWay--
      done(null, payload)
    },
  )
  void withRejectionHandler(sent)
}

const isWorthIt = (reply: FastifyReply, payload: unknown): payload is Whole | Readable =>
  (isWhole(payload) ? payload.length > FROM : payload instanceof Readable) &&
  `${reply.getHeader('content-type')}`.startsWith('application/json') &&
  !reply.hasHeader('content-encoding')

/** Who says so wants what the service has made, as it is. */
const isToStay = ({ headers }: FastifyRequest, reply: FastifyReply): boolean =>
  `${headers['cache-control']},${reply.getHeader('cache-control')}`.toLowerCase().includes('no-transform')

/** Other bytes have another strong ETag. Both ETags identify the same record (`entity-tags.ts`). */
function noteEncoding(reply: FastifyReply, name: string): void {
  reply.removeHeader('Content-Length')
  reply.header('Content-Encoding', name)
  const tag = reply.getHeader('etag')
  if (typeof tag === 'string') reply.header('ETag', `${tag.slice(0, -1)}+${name}"`)
}
