import { createHmac } from 'node:crypto'
import { ServiceError } from '../kernel/errors.ts'
import { type Context, inTransaction } from '../platform/database/context.ts'
import { isTransient } from '../platform/database/database-unavailable.ts'
import { findKeyedAnswer, holdKey, type KeyedAnswer, storeKeyedAnswer } from './idempotency-key-store.ts'
import { seal, unseal } from './seal.ts'

/** Who is in the way is gone at another try, as a rule. */
const MOST_TRIES = 3

/** What is asked for with an Idempotency-Key (§4.17). */
export interface KeyedRequest {
  key: string
  /** SHA-256 of the operation and all that it is given. */
  digest: Buffer
  /** A secret that only who asks has, of those who ask for the account; null if the answer has no secret. */
  readableBy: string | null
}

export interface Answer {
  status: number
  headers: Record<string, string>
  /** JSON. */
  text: string
}

/**
 * Does the work and keeps its answer in one transaction, both or none; or answers what was answered before. What fails
 * leaves nothing, and may be tried again with the same key.
 * @param work works on the context that it is given: in the transaction
 * @throws IDEMPOTENCY_KEY_IN_USE, IDEMPOTENCY_KEY_REUSED, UNAVAILABLE
 */
export async function doOnce(
  context: Context,
  request: KeyedRequest,
  work: (context: Context) => Promise<Answer>,
): Promise<{ answer: Answer; isReplayed: boolean }> {
  const { key } = request
  const { userId } = context
  for (let tries = 1; ; tries++) {
    try {
      return await inTransaction(context, async (within) => {
        if (!(await holdKey(within.write, userId, key))) throw keyInUse()
        const known = await findKeyedAnswer(within.write, userId, key)
        if (known) return { answer: readAnswer(request, known), isReplayed: true }
        const answer = await work(within)
        if (!(await storeKeyedAnswer(within.write, userId, key, toKept(request, answer)))) throw keyReused()
        return { answer, isReplayed: false }
      })
    } catch (error) {
      if (!isTransient(error) || tries === MOST_TRIES) throw error
    }
  }
}

function toKept(request: KeyedRequest, { status, headers, text }: Answer): KeyedAnswer {
  const { digest, key, readableBy } = request
  const isSealed = readableBy !== null
  const body = isSealed ? seal(sealingKey(readableBy), text, key) : Buffer.from(text)
  return { digest, status, headers, body, isSealed }
}

function readAnswer({ digest, key, readableBy }: KeyedRequest, known: KeyedAnswer): Answer {
  if (!known.digest.equals(digest)) throw keyReused()
  const { status, headers, body } = known
  if (!known.isSealed) return { status, headers, text: body.toString() }
  const text = unseal(sealingKey(`${readableBy}`), body, key)
  if (text === null) {
    throw new ServiceError(
      'IDEMPOTENCY_KEY_REUSED',
      'The Idempotency-Key was used with another token or in another session: its answer has a secret, which is shown there alone. Nothing was done.',
    )
  }
  return { status, headers, text }
}

/** Not the hash of a token or of a session that is in the database. */
const sealingKey = (secret: string): Buffer =>
  createHmac('sha256', secret).update('claimkeeper answers').digest()

const keyInUse = () =>
  new ServiceError(
    'IDEMPOTENCY_KEY_IN_USE',
    'A request with this Idempotency-Key is being answered. Nothing was done for this one.',
    { headers: { 'Retry-After': '1' } },
  )

export const keyReused = (): ServiceError =>
  new ServiceError(
    'IDEMPOTENCY_KEY_REUSED',
    'The Idempotency-Key was used for another request, or with another body. Nothing was done.',
  )
