import { once } from 'node:events'
import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import type { Answer, ApiClient } from './api-client.ts'

export const NDJSON = 'application/x-ndjson'

export interface LineExchange {
  /** Sends bytes. Resolves when the connection accepts more. */
  send: (bytes: string | Buffer) => Promise<void>
  /** Ends the request. */
  end: () => void
  /** The next line of the response, parsed. Null after the last. */
  next: () => Promise<Answer['body'] | null>
  /** Ends the request. Returns the remaining lines. */
  rest: () => Promise<Answer['body'][]>
  answer: () => Promise<IncomingMessage>
  /** Closes the connection during the exchange. */
  leave: () => void
}

/** A request whose lines are sent one by one while the response is read. */
export function exchangeLines(
  api: ApiClient,
  path: string,
  headers: Record<string, string> = {},
): LineExchange {
  const authorization = `Bearer ${api.token}`
  const outgoing: ClientRequest = request(api.url + path, {
    method: 'POST',
    // The connection is not shared: closing it must not disturb others.
    agent: false,
    headers: { Authorization: authorization, 'Content-Type': NDJSON, ...headers },
  })
  const answered = once(outgoing, 'response').then(([message]) => message as IncomingMessage)
  // A test that never reads must not have an unhandled rejection if the connection breaks.
  answered.catch(() => {})
  outgoing.on('error', () => {})
  const lines = linesOf(answered)
  const next = async () => {
    const { value } = await lines.next()
    return value === undefined ? null : JSON.parse(value)
  }
  const rest = async () => {
    outgoing.end()
    const left: Answer['body'][] = []
    for (let line = await next(); line !== null; line = await next()) left.push(line)
    return left
  }
  return {
    send: async (bytes) => {
      if (!outgoing.write(bytes)) await once(outgoing, 'drain')
    },
    end: () => void outgoing.end(),
    next,
    rest,
    answer: () => answered,
    leave: () => void outgoing.destroy(),
  }
}

/** Not readline, which treats U+2028 as the end of a line. */
async function* linesOf(answered: Promise<IncomingMessage>): AsyncGenerator<string, undefined> {
  let begun = ''
  for await (const chunk of (await answered).setEncoding('utf8')) {
    const [first = '', ...others] = (chunk as string).split('\n')
    begun += first
    for (const next of others) {
      yield begun
      begun = next
    }
  }
  if (begun !== '') throw new Error(`the answer ends in the middle of a line: ${begun.slice(0, 200)}`)
}
