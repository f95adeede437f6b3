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
import { MAX_COMPRESSIONS, MIN_COMPRESSED_LENGTH } from '../limits.ts'
import { chooseCoding } from './quality-values.ts'
import { isWhole, type Whole } from './static-response.ts'

interface Encoding {
  whole: (answer: Whole) => Promise<Buffer>
  stream: () => Transform
}

// Fast, with a small window: megabytes for each response would be too much.
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

/** All run in the thread pool. */
const ENCODINGS = {
  zstd: { whole: (answer) => toZstd(answer, ZSTD), stream: () => createZstdCompress(ZSTD) },
  br: { whole: (answer) => toBrotli(answer, BROTLI), stream: () => createBrotliCompress(BROTLI) },
  gzip: { whole: (answer) => toGzip(answer, GZIP), stream: () => createGzip(GZIP) },
} satisfies Record<string, Encoding>
/** The fastest first. */
const NAMES = ['zstd', 'br', 'gzip'] as const

let compressing = 0

/** Routes with large responses. Other responses are short and do not have the hook. */
export const mayAnswerMuch = (method: unknown, hasItems: boolean): boolean => method === 'GET' || hasItems

/**
 * The last hook of a response: compresses JSON if the client accepts it and it is worth it. NDJSON and server-sent
 * events are not compressed.
 */
export const compressAnswer: onSendHookHandler = (request, reply, payload, done) => {
  if (!isCompressible(reply, payload)) return done(null, payload)
  reply.header('Vary', 'Accept-Encoding')
  const chosen =
    request.method === 'HEAD' || compressing >= MAX_COMPRESSIONS || forbidsTransform(request, reply)
      ? null
      : chooseCoding(request.headers['accept-encoding'], NAMES)
  if (chosen === null) return done(null, payload)
  const { whole, stream } = ENCODINGS[chosen]
  compressing++
  if (payload instanceof Readable) {
    const compressed = stream()
    pipeline(payload, compressed, () => {
      compressing--
    })
    noteEncoding(reply, chosen)
    return done(null, compressed)
  }
  const sent = whole(payload).then(
    (bytes) => {
      compressing--
      noteEncoding(reply, chosen)
      done(null, bytes)
    },
    () => {
      compressing--
      done(null, payload)
    },
  )
  void withRejectionHandler(sent)
}

const isCompressible = (reply: FastifyReply, payload: unknown): payload is Whole | Readable =>
  (isWhole(payload) ? payload.length > MIN_COMPRESSED_LENGTH : payload instanceof Readable) &&
  `${reply.getHeader('content-type')}`.startsWith('application/json') &&
  !reply.hasHeader('content-encoding')

/** `no-transform` forbids changing the response. */
const forbidsTransform = ({ headers }: FastifyRequest, reply: FastifyReply): boolean =>
  `${headers['cache-control']},${reply.getHeader('cache-control')}`.toLowerCase().includes('no-transform')

/** Other bytes have another strong ETag. Both ETags identify the same record (`entity-tags.ts`). */
function noteEncoding(reply: FastifyReply, name: string): void {
  reply.removeHeader('Content-Length')
  reply.header('Content-Encoding', name)
  const tag = reply.getHeader('etag')
  if (typeof tag === 'string') reply.header('ETag', `${tag.slice(0, -1)}+${name}"`)
}
