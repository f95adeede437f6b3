/*
 * What a person asks for is done once, however often the button is pressed: while it is not known what came of a request, the
 * same request has the same Idempotency-Key.
 */

/** Then whoever asks for the same means another one. */
const KEPT_MS = 10 * 60_000

interface Intent {
  /** All that is asked. */
  request: string
  key: string
  since: number
  /** While it is on its way. */
  answer: Promise<unknown> | null
}

/** By what it is done to: who asks for something else there means no more what he asked for before. */
const intents = new Map<string, Intent>()

/**
 * Sends a request with a key. Who asks for the same while it is on its way gets the same answer.
 * @param target method and path
 * @param isSettled whether an error tells what came of it
 */
export async function once<T>(
  target: string,
  request: string,
  sendWith: (key: string) => Promise<T>,
  isSettled: (error: unknown) => boolean,
): Promise<T> {
  const intent = intentOf(target, request)
  intent.answer ??= sendWith(intent.key)
  try {
    const answer = (await intent.answer) as T
    forget(target, intent)
    return answer
  } catch (error) {
    intent.answer = null
    if (isSettled(error)) forget(target, intent)
    throw error
  }
}

function intentOf(target: string, request: string): Intent {
  const now = performance.now()
  const known = intents.get(target)
  if (known?.request === request && (known.answer || now - known.since < KEPT_MS)) return known
  const made = { request, key: newKey(), since: now, answer: null }
  intents.set(target, made)
  return made
}

function forget(target: string, intent: Intent): void {
  if (intents.get(target) === intent) intents.delete(target)
}

/** Not `randomUUID`, which pages that came without TLS do not have. */
export const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join(
    '',
  )
