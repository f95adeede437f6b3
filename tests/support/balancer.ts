import {
  Agent,
  createServer,
  type IncomingMessage,
  type ServerResponse,
  request as sendRequest,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { eventually } from './eventually.ts'
import type { Scope } from './test-database.ts'

/** A response that a client would count as a failure: 5xx or none. */
interface Refusal {
  server: string
  request: string
  why: string
}

export interface Balancer {
  url: string
  add: (server: string) => void
  /** Sends no further requests to the server. Resolves when all requests except streams are answered. */
  drain: (server: string) => Promise<unknown>
  refusals: Refusal[]
  /** Number of requests that each server has answered. */
  answered: Map<string, number>
}

/** A load balancer in front of several servers: requests go round-robin. */
export async function startBalancer(t: Scope): Promise<Balancer> {
  const servers: string[] = []
  const inFlight = new Map<string, number>()
  const answered = new Map<string, number>()
  const refusals: Refusal[] = []
  const agent = new Agent({ keepAlive: true })
  let turn = 0

  function pass(request: IncomingMessage, response: ServerResponse): void {
    const server = servers[turn++ % servers.length] as string
    const add = (n: number) => inFlight.set(server, (inFlight.get(server) ?? 0) + n)
    const refuse = (why: string) =>
      refusals.push({ server, request: `${request.method} ${request.url}`, why })
    const isStream = request.headers.accept === 'text/event-stream'
    if (!isStream) add(1)
    response.once('close', () => isStream || add(-1))
    const { method, url, headers } = request
    const upstream = sendRequest(server + url, { method, headers, agent }, (answer) => {
      answered.set(server, (answered.get(server) ?? 0) + 1)
      if ((answer.statusCode as number) >= 500) refuse(`${answer.statusCode}`)
      response.writeHead(answer.statusCode as number, answer.headers)
      answer.pipe(response)
      answer.once('error', () => response.destroy())
    })
    upstream.once('error', (error) => {
      // A disconnected client, or a stream that ends with its server, is no failure.
      if (!response.headersSent && !response.destroyed) refuse(error.message)
      response.destroy()
    })
    request.pipe(upstream)
    response.once('close', () => upstream.destroy())
  }

  const front = createServer(pass)
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve))
  t.after(async () => {
    agent.destroy()
    front.closeAllConnections()
    await new Promise((resolve) => front.close(resolve))
  })
  return {
    url: `http://127.0.0.1:${(front.address() as AddressInfo).port}`,
    add: (server) => void servers.push(server),
    drain: (server) => {
      servers.splice(servers.indexOf(server), 1)
      return eventually(async () => inFlight.get(server) === 0)
    },
    refusals,
    answered,
  }
}
