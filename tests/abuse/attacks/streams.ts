import type { Socket } from 'node:net'
import type { Attack, Target } from '../attack.ts'
import { onAnswer, request } from '../requests.ts'
import { LARGE_CONTRACT } from '../stage.ts'
import { ended, keepWriting, open, pause, runConcurrently } from '../wire.ts'

const NDJSON = { 'Content-Type': 'application/x-ndjson', 'Transfer-Encoding': 'chunked' }
const STREAMED_BYTES = 64 * 1024 * 1024
const LINES_AT_ONCE = 500
/** Longer than the time within which a request must have arrived. */
const LONG_SECONDS = 75

const chunk = (text: string) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`
const linesTo = (claim: string | undefined, count: number, more: object = {}) =>
  `${JSON.stringify({ claim_id: claim, type: 'note', ...more })}\n`.repeat(count)

/** Begins a stream of lines on each of a number of connections. */
const stream = (
  connections: number,
  goOn: (socket: Socket, target: Target, signal: AbortSignal) => Promise<unknown>,
  reads = true,
) =>
  ((target, signal) =>
    runConcurrently(connections, signal, async () => {
      const socket = await open(target, signal)
      if (!socket) return
      if (reads) onAnswer(socket)
      socket.write(request(target, 'POST', '/v1/events/batch', { headers: NDJSON }))
      await goOn(socket, target, signal)
      socket.destroy()
    })) satisfies Attack['run']

const pour = (bytes: (target: Target) => string) => (socket: Socket, target: Target, signal: AbortSignal) =>
  keepWriting(socket, bytes(target), STREAMED_BYTES, signal)

const oneClaim: Attack['prepare'] = async (stage) => ({ claim: await stage.claims({ count: 1 }) })
const JUNK = ['{"a":', '[[[[[[[[', 'null', '"x"', '{}', '\u0000', '{"type":1}', 'x'.repeat(40)].join('\n')

export const streams: Attack[] = [
  {
    name: 'stream-and-leave',
    description: '20 clients send 500 lines and more, and reset the connection while they are in work',
    prepare: oneClaim,
    run: stream(20, async (socket, { prepared }, signal) => {
      socket.write(chunk(linesTo(prepared.claim, LINES_AT_ONCE, { text: 'x'.repeat(500) })))
      socket.write(chunk(linesTo(prepared.claim, LINES_AT_ONCE)))
      await pause(40 * Math.random(), signal)
      socket.resetAndDestroy()
    }),
  },
  {
    name: 'stream-junk',
    description: '8 clients send lines of junk as fast as they go',
    run: stream(
      8,
      pour(() => chunk(`${JUNK}\n`.repeat(200))),
    ),
  },
  {
    name: 'stream-blank',
    description: '8 clients send blank lines as fast as they go',
    run: stream(
      8,
      pour(() => chunk('\n \r\n'.repeat(16_000))),
    ),
  },
  {
    name: 'stream-endless-line',
    description: '8 clients send a line that does not end',
    run: stream(
      8,
      pour(() => chunk('x'.repeat(64_000))),
    ),
  },
  {
    name: 'stream-unread',
    description: '8 clients send good lines as fast as they go, and read no answer',
    prepare: oneClaim,
    run: stream(
      8,
      pour(({ prepared }) => chunk(linesTo(prepared.claim, 200))),
      false,
    ),
  },
  {
    name: 'stream-unread-contracts',
    description: '16 clients send 500 lines to a claim with a contract of 62 KB, and read no answer',
    prepare: async (stage) => ({ claim: await stage.claims({ count: 1, contract: LARGE_CONTRACT }) }),
    run: stream(
      16,
      async (socket, { prepared }, signal) => {
        socket.write(chunk(linesTo(prepared.claim, LINES_AT_ONCE)))
        await ended(socket, signal)
      },
      false,
    ),
  },
  {
    name: 'stream-hot-claim',
    description: '8 clients send good lines to one claim as fast as they go',
    prepare: oneClaim,
    run: stream(
      8,
      pour(({ prepared }) => chunk(linesTo(prepared.claim, 200))),
    ),
  },
  {
    name: 'stream-large-lines',
    description: '16 clients send lines with payloads of 255 KiB as fast as they go',
    prepare: async (stage) => ({ claim: await stage.claims({ count: 1 }) }),
    run: stream(
      16,
      pour(({ prepared }) => chunk(linesTo(prepared.claim, 1, { text: 'x'.repeat(255 * 1024) }))),
    ),
  },
  {
    name: 'stream-drip',
    description: '200 clients send a line a byte at a time for more than a minute',
    seconds: LONG_SECONDS,
    run: stream(200, async (socket, _, signal) => {
      while (!signal.aborted && !socket.destroyed) {
        socket.write(chunk('x'))
        await pause(500, signal)
      }
    }),
  },
  {
    name: 'stream-held',
    description: '400 clients begin a stream, send half a line of 1 MiB and nothing more',
    run: stream(400, async (socket, _, signal) => {
      socket.write(chunk('x'.repeat(512 * 1024)))
      await ended(socket, signal)
    }),
  },
]
