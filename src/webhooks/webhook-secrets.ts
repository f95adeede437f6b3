import { createHash, randomBytes } from 'node:crypto'
import { getOrCreateSecret } from '../accounts/server-secret-store.ts'
import { seal, unseal } from '../idempotency/seal.ts'
import type { Lifecycle } from '../kernel/start-stop.ts'
import type { Database } from '../platform/database/database.ts'

/** The first byte of a stored secret names the key that encrypted it. */
const SHARED_KEY = 0
const OPERATOR_KEY = 1

/**
 * Encrypts the secrets of webhook endpoints. They are needed in plain text to sign. The key is the operator's
 * (CLAIMKEEPER_WEBHOOK_KEY), otherwise one that the servers share in the database.
 */
export class WebhookSecrets implements Lifecycle {
  readonly #db: Database
  readonly #operatorKey: Buffer | null
  /** Set by `start`. */
  #sharedKey: Buffer | null = null

  /** @param key the operator's key; null without one */
  constructor(db: Database, key: string | null) {
    this.#db = db
    this.#operatorKey = key === null ? null : createHash('sha256').update(key).digest()
  }

  async start(): Promise<void> {
    const secret = await getOrCreateSecret(
      this.#db.identity,
      'webhook secrets',
      randomBytes(32).toString('hex'),
    )
    this.#sharedKey = Buffer.from(secret, 'hex')
  }

  async stop(): Promise<void> {}

  /** @param endpointId decryption fails for any other endpoint */
  encrypt(secret: string, endpointId: string): Buffer {
    const keyId = this.#operatorKey === null ? SHARED_KEY : OPERATOR_KEY
    const key = this.#keyOf(keyId)
    if (key === null) throw new Error('the key is missing')
    return Buffer.concat([Buffer.of(keyId), seal(key, secret, endpointId)])
  }

  /** @throws Error if another key of the operator encrypted the secret */
  decrypt(stored: Buffer, endpointId: string): string {
    const key = this.#keyOf(stored[0] as number)
    const secret = key && unseal(key, stored.subarray(1), endpointId)
    if (secret === null) {
      throw new Error(
        `The secret of the webhook endpoint ${endpointId} was encrypted under another CLAIMKEEPER_WEBHOOK_KEY.`,
      )
    }
    return secret
  }

  #keyOf(keyId: number): Buffer | null {
    return keyId === OPERATOR_KEY ? this.#operatorKey : this.#sharedKey
  }
}
