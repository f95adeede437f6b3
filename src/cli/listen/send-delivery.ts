import { STATUS_CODES } from 'node:http'
import { sendRequest } from '../../webhooks/request/send-request.ts'
import { deliveryHeaders, type SignedDelivery } from '../../webhooks/sign-delivery.ts'
import { faultInWords } from './fault-in-words.ts'

export interface Receiver {
  url: string
  secret: string
  /** How long it may take to answer. */
  patienceMs: number
}

export interface Attempt {
  succeeded: boolean
  /** The status of the answer, or why there was none. */
  words: string
  durationMs: number
}

/** The response body is read so that the receiver can finish it, and is discarded. */
const MAX_RESPONSE_BYTES = 65_536

/** Sends it once. Only a status of 200 to 299 says that it has arrived; redirects are not followed. */
export async function sendDelivery(
  { url, secret, patienceMs }: Receiver,
  delivery: SignedDelivery,
  stop: AbortSignal,
): Promise<Attempt> {
  const startedAt = performance.now()
  const impatience = AbortSignal.timeout(patienceMs)
  const ends = (succeeded: boolean, words: string): Attempt => ({
    succeeded,
    words,
    durationMs: Math.round(performance.now() - startedAt),
  })
  try {
    const answer = await sendRequest(url, {
      method: 'POST',
      headers: deliveryHeaders(delivery, [secret], new Date()),
      body: delivery.body,
      // During development the receiver restarts often. A kept connection would lead to the old process.
      agent: false,
      signal: AbortSignal.any([stop, impatience]),
    })
    const status = answer.statusCode ?? 0
    const attempt = ends(status >= 200 && status < 300, statusInWords(status))
    // The status decides, even if reading the body fails.
    await readUpTo(MAX_RESPONSE_BYTES, answer).catch(() => {})
    return attempt
  } catch (error) {
    return ends(false, impatience.aborted ? `no answer in ${patienceMs / 1_000} s` : faultInWords(error))
  }
}

async function readUpTo(bytes: number, body: AsyncIterable<Buffer>): Promise<void> {
  let read = 0
  for await (const chunk of body) {
    read += chunk.length
    if (read > bytes) return
  }
}

function statusInWords(status: number): string {
  if (status >= 200 && status < 300) return `${status}`
  const words = `${status} ${STATUS_CODES[status] ?? ''}`.trim()
  return status >= 300 && status < 400 ? `${words}, not followed` : words
}
