/*
 * What a person asks for is done once, however often the button is pressed: while it is not known what came of a request, the
 * same request has the same Idempotency-Key.
 */

/** Then whoever asks for the same means another one. */
const KEPT_MS = 10 * 60_000

interface Intent {
  key: string
  since: number
  /** While it is on its way. */
  answer: Promise<unknown> | null
}

const intents = new Map<string, Intent>()

/**
 * Sends a request with a key. Who asks for the same while it is on its way gets the same answer.
 * @param isSettled whether an error tells what came of it
 */
export async function once<T>(
  request: string,
  sendWith: (key: string) => Promise<T>,
  isSettled: (error: unknown) => boolean,
): Promise<T> {
  const intent = intentOf(request)
  intent.answer ??= sendWith(intent.key)
  try {
    const answer = (await intent.answer) as T
    intents.delete(request)
    return answer
  } catch (error) {
    intent.answer = null
    if (isSettled(error)) intents.delete(request)
    throw error
  }
}

function intentOf(request: string): Intent {
  const now = performance.now()
  for (const [key, { since, answer }] of intents)
    if (answer === null && now - since > KEPT_MS) intents.delete(key)
  const known = intents.get(request)
  if (known) return known
  const made = { key: newKey(), since: now, answer: null }
  intents.set(request, made)
  return made
}

/** Not `randomUUID`, which pages that came without TLS do not have. */
const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join(
    '',
  )
