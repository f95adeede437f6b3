import { connect, type Socket } from 'node:net'
import type { Target } from './attack.ts'

/*
 * What attackers do with connections. All of it is bounded, and none of it believes in the other side: a connection
 * that breaks is no fault here, and the attack opens it again.
 */

/** An attacker that is refused comes again, but not at once. */
const COME_AGAIN_MS = 20
const CONNECT_MS = 5_000

/** What the attacker saw: answers by their status, connections opened, and those that were refused or broken off. */
export const seen: Record<string, number> = {}

export function count(what: string): void {
  seen[what] = (seen[what] ?? 0) + 1
}

export interface OpenOptions {
  /** An address of the loopback network to come from. */
  from?: string
}

/** A connection on which nothing is read; null where none could be had. */
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
  socket.setTimeout(CONNECT_MS, () => socket.destroy())
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

/** Resolves when the connection is closed by either side, or the signal comes. */
export function ended(socket: Socket, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (socket.destroyed || signal.aborted) resolve()
    socket.once('close', () => resolve())
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

/** Writes these bytes repeatedly, as fast as possible, until a number of bytes was written or the connection ends. */
export async function keepWriting(
  socket: Socket,
  bytes: string | Buffer,
  mostBytes: number,
  signal: AbortSignal,
): Promise<void> {
  for (
    let written = 0;
    written < mostBytes && !socket.destroyed && !signal.aborted;
    written += bytes.length
  ) {
    if (!socket.write(bytes)) await drained(socket, signal)
  }
}

function drained(socket: Socket, signal: AbortSignal): Promise<void> {
  return Promise.race([
    new Promise<void>((resolve) => void socket.once('drain', resolve)),
    ended(socket, signal),
  ])
}

/** Until the time is over or the signal comes. */
export function rest(ms: number, signal: AbortSignal): Promise<void> {
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

/** Runs `howMany` at once. Each starts again when it has ended. */
export async function atOnce(
  howMany: number,
  signal: AbortSignal,
  work: (worker: number) => Promise<unknown>,
): Promise<void> {
  const endlessly = async (_: unknown, worker: number) => {
    while (!signal.aborted) {
      await work(worker)
      await rest(COME_AGAIN_MS, signal)
    }
  }
  await Promise.all(Array.from({ length: howMany }, endlessly))
}
