/* Idempotency keys: while the outcome of a request is unknown, the same request gets the same Idempotency-Key. So pressing a
 * button again does not repeat its effect.
 */

/** After this time, the same request is a new intent. */
const KEY_LIFETIME_MS = 10 * 60_000

interface Intent {
  /** Headers and body as JSON. */
  request: string
  key: string
  since: number
  /** Set while the request is in flight. */
  answer: Promise<unknown> | null
}

/** By target: another request to the same target replaces the intent. */
const intents = new Map<string, Intent>()

/**
 * Sends a request with a key. The same request gets the same response while the first is in flight.
 * @param target method and path
 * @param isOutcomeKnown whether the outcome is known after this error
 */
export async function withIdempotencyKey<T>(
  target: string,
  request: string,
  sendWith: (key: string) => Promise<T>,
  isOutcomeKnown: (error: unknown) => boolean,
): Promise<T> {
  const intent = intentOf(target, request)
  intent.answer ??= sendWith(intent.key)
  try {
    const answer = (await intent.answer) as T
    forget(target, intent)
    return answer
  } catch (error) {
    intent.answer = null
    if (isOutcomeKnown(error)) forget(target, intent)
    throw error
  }
}

function intentOf(target: string, request: string): Intent {
  const now = performance.now()
  const existing = intents.get(target)
  if (existing?.request === request && (existing.answer || now - existing.since < KEY_LIFETIME_MS))
    return existing
  const created = { request, key: newKey(), since: now, answer: null }
  intents.set(target, created)
  return created
}

function forget(target: string, intent: Intent): void {
  if (intents.get(target) === intent) intents.delete(target)
}

/** `crypto.randomUUID` does not exist on pages without TLS. */
export const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join(
    '',
  )

/** A random UUID (version 4). */
export const newUuid = (): string =>
  newKey().replace(
    /^(.{8})(.{4}).(.{3})(.)(.{3})(.{12})$/,
    (_, a, b, c, variant, d, e) => `${a}-${b}-4${c}-${'89ab'[Number.parseInt(variant, 16) % 4]}${d}-${e}`,
  )
