import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import type { Answer } from './api-client.ts'

/** Writes these bytes to a new connection. Returns the response when it is complete or the server closes. */
export async function sendRaw(serviceUrl: string, bytes: string | Buffer): Promise<Answer> {
  const { hostname, port } = new URL(serviceUrl)
  const socket = connect(Number(port), hostname)
  const chunks: Buffer[] = []
  const whole = new Promise<void>((resolve) => {
    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk)
      if (isWhole(Buffer.concat(chunks).toString('latin1'))) resolve()
    })
    socket.on('close', () => resolve())
    // A server that has responded may reset the connection while the request is still being sent.
    socket.on('error', () => resolve())
  })
  socket.write(bytes)
  await whole
  socket.destroy()
  return parseAnswer(Buffer.concat(chunks).toString('utf8'))
}

/** Sends the beginning of a request and disconnects. Returns when the server has closed the connection too. */
export async function sendAndLeave(serviceUrl: string, bytes: string | Buffer): Promise<void> {
  const { hostname, port } = new URL(serviceUrl)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => {})
  await once(socket, 'connect')
  const closed = once(socket, 'close')
  socket.end(bytes)
  socket.resume()
  await closed
}

/** The head of a request. */
export function head(method: string, path: string, headers: Record<string, string | number>): string {
  const lines = Object.entries({ Host: 'claims.test', ...headers }).map(
    ([name, value]) => `${name}: ${value}`,
  )
  return `${method} ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`
}

function isWhole(text: string): boolean {
  const [top = '', body] = splitOnce(text, '\r\n\r\n')
  if (body === undefined) return false
  const length = /^content-length: *(\d+)/im.exec(top)?.[1]
  return length === undefined ? body.endsWith('0\r\n\r\n') : body.length >= Number(length)
}

function parseAnswer(text: string): Answer {
  const [top = '', body = ''] = splitOnce(text, '\r\n\r\n')
  const [statusLine = '', ...lines] = top.split('\r\n')
  const status = /^HTTP\/1\.1 (\d{3})/.exec(statusLine)?.[1]
  assert.ok(status, `the server answered no HTTP: ${JSON.stringify(text.slice(0, 200))}`)
  const headers = new Headers(lines.map((line) => splitOnce(line, ': ') as [string, string]))
  const isJson = headers.get('content-type')?.startsWith('application/json')
  return { status: Number(status), headers, body: isJson ? JSON.parse(body) : body || undefined }
}

function splitOnce(text: string, separator: string): [string, string?] {
  const at = text.indexOf(separator)
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + separator.length)]
}
