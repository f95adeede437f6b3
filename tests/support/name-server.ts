import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { isIPv4 } from 'node:net'
import ipaddr from 'ipaddr.js'
import { publicLookup } from './source/webhooks.ts'
import type { Scope } from './test-database.ts'

/** The addresses of a name. Null: the name does not exist. Undefined: no response. */
export type Names = (name: string, queries: number) => readonly string[] | null | undefined

export interface NameServer {
  /** In the form that resolvers accept. */
  address: string
  /** Queried names, once for each query. */
  queries: string[]
}

const A = 1
const AAAA = 28

/** A real UDP name server on this machine, with the names of a test. */
export async function startNameServer(t: Scope, names: Names): Promise<NameServer> {
  const queries: string[] = []
  const socket = createSocket('udp4')
  socket.on('message', (question, { port, address }) => {
    const { name, type, end } = readQuestion(question)
    const times = queries.filter((one) => one === `${name} ${type}`).length
    queries.push(`${name} ${type}`)
    const known = names(name, times)
    if (known !== undefined) socket.send(answer(question.subarray(0, end), type, known), port, address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  t.after(async () => {
    socket.close()
  })
  return { address: `127.0.0.1:${socket.address().port}`, queries }
}

function readQuestion(message: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = []
  let at = 12
  for (let length = message.readUInt8(at); length > 0; length = message.readUInt8(at)) {
    labels.push(message.toString('ascii', at + 1, at + 1 + length))
    at += 1 + length
  }
  return { name: labels.join('.').toLowerCase(), type: message.readUInt16BE(at + 1), end: at + 5 }
}

function answer(question: Buffer, type: number, known: readonly string[] | null): Buffer {
  const fitting = (known ?? []).filter((address) => type === (isIPv4(address) ? A : AAAA))
  const records = fitting.map((address) => {
    const data = Buffer.from(ipaddr.parse(address).toByteArray())
    const head = Buffer.from([0xc0, 0x0c, 0, type, 0, 1, 0, 0, 0, 0, 0, data.length])
    return Buffer.concat([head, data])
  })
  const message = Buffer.concat([question, ...records])
  // Flags: a response, recursion available. Code 3: the name does not exist.
  message.writeUInt16BE(known === null ? 0x8183 : 0x8180, 2)
  message.writeUInt16BE(records.length, 6)
  message.writeUInt32BE(0, 8)
  return message
}

interface Found {
  error: Error | null
  addresses: unknown
}

/** A name server, and the webhook sender's look-ups through it. */
export async function lookingUp(t: Scope, names: Names) {
  const server = await startNameServer(t, names)
  const look = publicLookup([server.address])
  const lookUp = (name: string) =>
    new Promise<Found>((resolve) =>
      look(name, { all: true }, (error, addresses) => resolve({ error, addresses })),
    )
  return { server, look, lookUp }
}
