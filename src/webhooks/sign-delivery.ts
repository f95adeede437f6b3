import { createHash, randomBytes } from 'node:crypto'
import { Webhook } from 'standardwebhooks'

/** What the first delivery to an endpoint names as the hash of the one before it. */
export const NO_HASH = '0'.repeat(64)

const SECRET_BYTES = 32

/** A new secret, as Standard Webhooks writes it. */
export const newSecret = (): string => `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`

/** A delivery's place among those to its endpoint: numbered from 1 without holes, each with the hash of the one before. */
export interface Link {
  number: number
  /** SHA-256 of the body before, in hexadecimal. */
  previousHash: string
}

/**
 * The body of a delivery: the notification, and its place. Both are signed, and go into the hash that the next one names.
 * @param notification as JSON, an object
 */
export const deliveryBody = (notification: string, { number, previousHash }: Link): string =>
  `${notification.slice(0, -1)},"delivery":{"number":${number},"previous_hash":"${previousHash}"}}`

export const hashOf = (body: string): string => createHash('sha256').update(body).digest('hex')

export interface SignedDelivery extends Link {
  /** Of the notification: the same each time that it is sent. */
  id: string
  body: string
}

/**
 * What is sent besides the body: https://www.standardwebhooks.com, and the place, for whoever looks at headers alone.
 * @param secrets `whsec_…`, each of which signs
 */
export function deliveryHeaders(
  { id, number, previousHash, body }: SignedDelivery,
  secrets: readonly string[],
  now: Date,
): Record<string, string> {
  return {
    'Content-Type': 'application/json',
    'User-Agent': 'Claimkeeper',
    'Webhook-Id': id,
    'Webhook-Timestamp': `${Math.floor(now.getTime() / 1_000)}`,
    'Webhook-Signature': secrets.map((secret) => new Webhook(secret).sign(id, now, body)).join(' '),
    'Claimkeeper-Delivery-Number': `${number}`,
    'Claimkeeper-Previous-Hash': previousHash,
  }
}
