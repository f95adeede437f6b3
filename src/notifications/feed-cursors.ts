import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { getOrCreateSecret } from '../accounts/server-secret-store.ts'
import { validationError } from '../kernel/errors.ts'
import type { Lifecycle } from '../kernel/start-stop.ts'
import type { Database } from '../platform/database/database.ts'

/** One block: the number, and a part of the account's id, which detects a cursor of another account. */
const CIPHER = 'aes-128-ecb'
const FORM = /^[\w-]{22}$/

/**
 * Encrypts positions in feeds into cursors. All accounts share one sequence of numbers, so plain numbers would reveal
 * the activity of other accounts.
 */
export class FeedCursors implements Lifecycle {
  readonly #db: Database
  /** Set by `start`. */
  #key: Buffer | null = null

  constructor(db: Database) {
    this.#db = db
  }

  async start(): Promise<void> {
    const secret = await getOrCreateSecret(this.#db.identity, 'feed cursors', randomBytes(16).toString('hex'))
    this.#key = Buffer.from(secret, 'hex')
  }

  async stop(): Promise<void> {}

  write(userId: string, number: bigint): string {
    const block = Buffer.concat([Buffer.alloc(8), ownersPart(userId)])
    block.writeBigInt64BE(number)
    return createCipheriv(CIPHER, this.#key as Buffer, null)
      .setAutoPadding(false)
      .update(block)
      .toString('base64url')
  }

  /** @throws VALIDATION_ERROR if the cursor is not of this account */
  read(userId: string, cursor: string): bigint {
    const block = FORM.test(cursor)
      ? createDecipheriv(CIPHER, this.#key as Buffer, null)
          .setAutoPadding(false)
          .update(Buffer.from(cursor, 'base64url'))
      : null
    if (!block?.subarray(8).equals(ownersPart(userId)) || block.readBigInt64BE() < 0n) {
      const message = 'is no cursor of this account’s notifications; use next_cursor of the page before'
      throw validationError([{ path: 'after', message }])
    }
    return block.readBigInt64BE()
  }
}

const ownersPart = (userId: string) => Buffer.from(userId.replaceAll('-', '').slice(16), 'hex')
