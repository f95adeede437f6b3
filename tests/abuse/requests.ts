import type { Socket } from 'node:net'
import type { Target } from './attack.ts'
import { count, ended, type OpenOptions, open, runConcurrently } from './wire.ts'

const STATUS = /HTTP\/1\.1 (\d{3}) /g
/** What a status line needs: an answer may come in two pieces. */
const STATUS_LENGTH = 'HTTP/1.1 200 '.length

export interface RequestParts {
  body?: string
  headers?: Record<string, string>
  /** Whose; null for nobody's. By default the attacker's. */
  token?: string | null
}

/** The bytes of a request. */
export function request(target: Target, method: string, path: string, parts: RequestParts = {}): string {
  const { body, headers = {}, token = target.account.token } = parts
  const lines = [
    `${method} ${path} HTTP/1.1`,
    `Host: ${new URL(target.url).host}`,
    ...(token === null ? [] : [`Authorization: Bearer ${token}`]),
    ...(body === undefined
      ? []
      : ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`]),
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ]
  return `${lines.join('\r\n')}\r\n\r\n${body ?? ''}`
}

export const get = (target: Target, path: string): string => request(target, 'GET', path)

export const post = (target: Target, path: string, body: unknown, parts: RequestParts = {}): string =>
  request(target, 'POST', path, { body: typeof body === 'string' ? body : JSON.stringify(body), ...parts })

/** As a page does in which the attacker is signed in; `prepare` has made the session (`Stage.signIn`). */
export const bySession = ({ url, prepared }: Target): RequestParts => ({
  token: null,
  headers: { Cookie: prepared.cookie as string, Origin: new URL(url).origin },
})

interface Flood extends OpenOptions {
  connections: number
  /** Requests in flight on each. */
  depth?: number
}

/** Sends these requests on many connections, and the next with each answer, which is read and forgotten. */
export async function flood(
  target: Target,
  signal: AbortSignal,
  { connections, depth = 1, from }: Flood,
  render: (number: number) => string,
): Promise<void> {
  let number = 0
  await runConcurrently(connections, signal, async () => {
    const socket = await open(target, signal, from === undefined ? {} : { from })
    if (!socket) return
    onAnswer(socket, () => {
      if (!signal.aborted) socket.write(render(number++))
    })
    for (let i = 0; i < depth; i++) socket.write(render(number++))
    await ended(socket, signal)
    socket.destroy()
  })
}

/** Counts the answers that come, by their status. */
export function onAnswer(socket: Socket, onResponse: () => void = () => {}): void {
  let rest = ''
  socket.on('data', (chunk: Buffer) => {
    const text = rest + chunk.toString('latin1')
    let end = 0
    for (const { 1: status, index } of text.matchAll(STATUS)) {
      count(status as string)
      end = index + STATUS_LENGTH
      onResponse()
    }
    rest = text.slice(Math.max(end, text.length - STATUS_LENGTH + 1))
  })
  // The connection is closed when the server ends it. An attack opens a new one.
  socket.on('end', () => socket.destroy())
}
