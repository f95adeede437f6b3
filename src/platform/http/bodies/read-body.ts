import type { IncomingMessage } from 'node:http'
import type { FastifyRequest } from 'fastify'
import { MAX_UNCOUNTED_BODY_BYTES } from '../limits.ts'
import { bodyTooLarge } from '../responses/error-response.ts'

/**
 * Reads a body into one buffer. Chunks are copied as they arrive: chunks of one byte would take a hundred times the
 * length of the body.
 * @throws PAYLOAD_TOO_LARGE; UNAVAILABLE if there is no memory for a body without Content-Length
 */
export function readBody(request: FastifyRequest, payload: IncomingMessage): Promise<Buffer> {
  const { memory, headers, routeOptions } = request
  const limit = routeOptions.bodyLimit
  const isDeclared = headers['content-length'] !== undefined
  const declared = isDeclared ? Number(headers['content-length']) : limit
  let bytes: Buffer = Buffer.alloc(0)
  let length = 0
  let isCounted = isDeclared
  return new Promise((resolve, reject) => {
    const stop = () => payload.off('data', onData).off('end', onEnd).off('error', onError)
    const onError = (error: Error) => {
      stop()
      reject(error)
      // The rest is read only to reach the next request of the connection.
      payload.resume()
    }
    const onEnd = () => {
      stop()
      memory?.endBody(length)
      resolve(bytes.subarray(0, length))
    }
    const onData = (piece: Buffer) => {
      const end = length + piece.length
      if (end > limit) return onError(bodyTooLarge(limit))
      if (end > bytes.length) bytes = grown(bytes, Math.max(end, Math.min(declared, 2 * length)))
      piece.copy(bytes, length)
      length = end
      if (isCounted || memory === null || end <= MAX_UNCOUNTED_BODY_BYTES) return
      isCounted = true
      payload.pause()
      memory.acquireBodyOfUnknownLength().then(() => payload.resume(), onError)
    }
    if (isDeclared && declared > limit) onError(bodyTooLarge(limit))
    else payload.on('data', onData).on('end', onEnd).on('error', onError)
  })
}

function grown(bytes: Buffer, length: number): Buffer {
  const larger = Buffer.allocUnsafeSlow(length)
  bytes.copy(larger)
  return larger
}
