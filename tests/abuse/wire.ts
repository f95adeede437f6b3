import { connect, type Socket } from 'node:net'
import type { Target } from './attack.ts'

/*
 * Connections of attackers. A broken connection is no error: the attack opens another one. Every wait has a timeout or ends
 * with the signal.
 */

/** The pause of an attacker before it connects again. */
const RECONNECT_DELAY_MS = 20
const CONNECT_TIMEOUT_MS = 5_000

/** Counts of the attacker: responses by status, opened connections, and refused or broken connections. */
export const seen: Record<string, number> = {}

export function count(what: string): void {
  seen[what] = (seen[what] ?? 0) + 1
}

export interface OpenOptions {
  /** The local address, in the loopback network. */
  from?: string
}

/** A connection that is not read; null if it cannot be opened. */
export function open(
  { url }: Target,
  signal: AbortSignal,
  { from }: OpenOptions = {},
): Promise<Socket | null> {
  if (signal.aborted) return Promise.resolve(null)
  const { hostname, port } = new URL(url)
  const socket = connect({
    host: hostname,
    port: Number(port),
    allowHalfOpen: true,
    ...(from && process.platform === 'linux' ? { localAddress: from } : {}),
  })
  socket.setTimeout(CONNECT_TIMEOUT_MS, () => socket.destroy())
  return new Promise((resolve) => {
    socket.on('connect', () => {
      socket.setTimeout(0)
      count('connections')
      resolve(socket)
    })
    socket.on('error', () => {
      count('broken')
      resolve(null)
    })
    socket.on('close', () => resolve(null))
  })
}

/** Resolves when either side closes the connection, or the signal aborts. */
export function ended(socket: Socket, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (socket.destroyed || signal.aborted) resolve()
    socket.once('close', () => resolve())
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

/** Writes the bytes repeatedly, as fast as possible, until `maxBytes` are written or the connection ends. */
export async function keepWriting(
  socket: Socket,
  bytes: string | Buffer,
  maxBytes: number,
  signal: AbortSignal,
): Promise<void> {
  for (let written = 0; written < maxBytes && !socket.destroyed && !signal.aborted; written += bytes.length) {
    if (!socket.write(bytes)) await drained(socket, signal)
  }
}

function drained(socket: Socket, signal: AbortSignal): Promise<void> {
  return Promise.race([
    new Promise<void>((resolve) => void socket.once('drain', resolve)),
    ended(socket, signal),
  ])
}

/** Resolves after the time, or when the signal aborts. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    if (signal.aborted) resolve()
    signal.addEventListener(
      'abort',
      () => {
        clearTimeout(timer)
        resolve()
      },
      { once: true },
    )
  })
}

/** Runs workers concurrently. Each worker repeats its work until the signal aborts. */
export async function runConcurrently(
  workers: number,
  signal: AbortSignal,
  work: (worker: number) => Promise<unknown>,
): Promise<void> {
  const repeat = async (_: unknown, worker: number) => {
    while (!signal.aborted) {
      await work(worker)
      await pause(RECONNECT_DELAY_MS, signal)
    }
  }
  await Promise.all(Array.from({ length: workers }, repeat))
}
