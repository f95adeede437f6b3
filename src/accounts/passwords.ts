import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { HASHES_IN_PROGRESS } from './limits.ts'
import { unauthenticatedLimit } from './unauthenticated-limit.ts'

/** Parameters of scrypt: N blocks of 128 × r bytes, p times. */
interface Cost {
  N: number
  r: number
  p: number
}

/** The base-2 logarithm of N. With r = 8 this is OWASP's recommendation: 128 MiB and about 0.3 s. */
const LOG_N = 17
/** The cost of hashes by better-auth: a quarter of the current cost. */
const BETTER_AUTH_COST: Cost = { N: 2 ** 14, r: 16, p: 1 }
/** Added to the cost of better-auth, it is as slow as the current cost. */
const REMAINING_COST: Cost = { N: 2 ** 17, r: 6, p: 1 }

const KEY_BYTES = 64
const SALT_BYTES = 16
/** `<salt>:<key>`, both in hexadecimal. The hexadecimal text is the salt, not the bytes that it encodes. */
const BETTER_AUTH_FORMAT = /^([0-9a-f]+):([0-9a-f]+)$/

const toBase64 = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '')

/** All hashes share one key of the semaphore: callers already wait for permits by address. */
const SEMAPHORE_KEY = 'hashes'

/** Hashes passwords, one at a time (`HASHES_IN_PROGRESS`). */
export class Passwords {
  readonly #limit = unauthenticatedLimit(HASHES_IN_PROGRESS)
  readonly #cost: Cost
  readonly #prefix: string
  /** `$scrypt$ln=17,r=8,p=1$<salt>$<key>`, both as base64 without padding. */
  readonly #format: RegExp

  /** @param logN smaller in tests, for faster hashes */
  constructor(logN = LOG_N) {
    this.#cost = { N: 2 ** logN, r: 8, p: 1 }
    this.#prefix = `$scrypt$ln=${logN},r=8,p=1$`
    this.#format = new RegExp(String.raw`^\$scrypt\$ln=${logN},r=8,p=1\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$`)
  }

  async hash(password: string): Promise<string> {
    const salt = randomBytes(SALT_BYTES)
    const key = await this.#derive(password, salt, this.#cost)
    return `${this.#prefix}${toBase64(salt)}$${toBase64(key)}`
  }

  /**
   * A wrong password takes the same time for both formats, so that the time does not reveal the stored format. After a
   * correct one, the caller replaces an outdated hash.
   */
  async verify(hash: string, password: string): Promise<boolean> {
    const [, salt = '', key = ''] = this.#format.exec(hash) ?? []
    if (key)
      return isSame(await this.#derive(password, Buffer.from(salt, 'base64'), this.#cost), key, 'base64')
    const [, oldSalt = '', oldKey = ''] = BETTER_AUTH_FORMAT.exec(hash) ?? []
    const isCorrect = isSame(await this.#derive(password, oldSalt, BETTER_AUTH_COST), oldKey, 'hex')
    if (!isCorrect) await this.#derive(password, oldSalt, REMAINING_COST)
    return isCorrect
  }

  /** Whether the hash has another format or cost than new hashes. */
  isOutdated(hash: string): boolean {
    return !this.#format.test(hash)
  }

  async #derive(password: string, salt: string | Buffer, cost: Cost): Promise<Buffer> {
    const permit = await this.#limit.acquire(SEMAPHORE_KEY)
    try {
      return await derive(password, salt, cost)
    } finally {
      permit.release()
    }
  }
}

/** Runs in libuv's thread pool. */
function derive(password: string, salt: string | Buffer, cost: Cost): Promise<Buffer> {
  const options = { ...cost, maxmem: 2 * 128 * cost.N * cost.r }
  return new Promise((resolve, reject) => {
    scrypt(password.normalize('NFKC'), salt, KEY_BYTES, options, (error, key) => {
      if (error) reject(error)
      else resolve(key)
    })
  })
}

function isSame(key: Buffer, stored: string, encoding: BufferEncoding): boolean {
  const expected = Buffer.from(stored, encoding)
  return key.length === expected.length && timingSafeEqual(key, expected)
}
