import { createHmac } from 'node:crypto'
import { ServiceError } from '../kernel/errors.ts'
import { type Context, inTransaction } from '../platform/database/context.ts'
import { isTransient } from '../platform/database/database-unavailable.ts'
import { findKeyedAnswer, type KeyedAnswer, storeKeyedAnswer, tryLockKey } from './idempotency-key-store.ts'
import { MAX_KEYED_REQUEST_ATTEMPTS } from './limits.ts'
import { seal, unseal } from './seal.ts'

/** A request with an Idempotency-Key (§4.17). */
export interface KeyedRequest {
  key: string
  /** SHA-256 of the operation and its input. */
  digest: Buffer
  /** The caller's credential, which encrypts the stored response; null if the response has no secret. */
  readableBy: string | null
}

export interface Answer {
  status: number
  headers: Record<string, string>
  /** JSON. */
  text: string
}

/**
 * Runs the work and stores its response in one transaction, or returns the stored response of an earlier request. A failure
 * stores nothing: the same key may be used again.
 * @param work uses the given context, which is in the transaction
 * @throws IDEMPOTENCY_KEY_IN_USE, IDEMPOTENCY_KEY_REUSED, UNAVAILABLE
 */
export async function doOnce(
  context: Context,
  request: KeyedRequest,
  work: (context: Context) => Promise<Answer>,
): Promise<{ answer: Answer; isReplayed: boolean }> {
  const { key } = request
  const { userId } = context
  for (let attempt = 1; ; attempt++) {
    try {
      return await inTransaction(context, async (within) => {
        if (!(await tryLockKey(within.write, userId, key))) throw keyInUse()
        const stored = await findKeyedAnswer(within.write, userId, key)
        if (stored) return { answer: readAnswer(request, stored), isReplayed: true }
        const answer = await work(within)
        if (!(await storeKeyedAnswer(within.write, userId, key, toStored(request, answer)))) throw keyReused()
        return { answer, isReplayed: false }
      })
    } catch (error) {
      if (!isTransient(error) || attempt === MAX_KEYED_REQUEST_ATTEMPTS) throw error
    }
  }
}

function toStored(request: KeyedRequest, { status, headers, text }: Answer): KeyedAnswer {
  const { digest, key, readableBy } = request
  const isSealed = readableBy !== null
  const body = isSealed ? seal(sealingKey(readableBy), text, key) : Buffer.from(text)
  return { digest, status, headers, body, isSealed }
}

function readAnswer({ digest, key, readableBy }: KeyedRequest, stored: KeyedAnswer): Answer {
  if (!stored.digest.equals(digest)) throw keyReused()
  const { status, headers, body } = stored
  if (!stored.isSealed) return { status, headers, text: body.toString() }
  const text = unseal(sealingKey(`${readableBy}`), body, key)
  if (text === null) {
    throw new ServiceError(
      'IDEMPOTENCY_KEY_REUSED',
      'The Idempotency-Key was used with another token or in another session. Its response has a secret, which only that token or session can read. Nothing was done.',
    )
  }
  return { status, headers, text }
}

/** Differs from the hashes of tokens and sessions in the database. */
const sealingKey = (secret: string): Buffer =>
  createHmac('sha256', secret).update('claimkeeper answers').digest()

const keyInUse = () =>
  new ServiceError(
    'IDEMPOTENCY_KEY_IN_USE',
    'Another request with this Idempotency-Key is in progress. Nothing was done for this request.',
    { headers: { 'Retry-After': '1' } },
  )

export const keyReused = (): ServiceError =>
  new ServiceError(
    'IDEMPOTENCY_KEY_REUSED',
    'The Idempotency-Key was used for another request, or with another body. Nothing was done.',
  )
