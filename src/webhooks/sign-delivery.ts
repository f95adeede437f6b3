import { createHash, randomBytes } from 'node:crypto'
import { Webhook } from 'standardwebhooks'

/** `previous_hash` of the first delivery to an endpoint. */
export const NO_HASH = '0'.repeat(64)

const SECRET_BYTES = 32

/** A new secret, as Standard Webhooks writes it. */
export const newSecret = (): string => `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`

/** Number of the delivery at its endpoint, without gaps, and the hash of the previous body. */
export interface ChainPosition {
  /** From 1. */
  number: number
  /** SHA-256 in hexadecimal. */
  previousHash: string
}

/**
 * The body of a delivery: the notification and its position. The next delivery has the SHA-256 of this body as `previous_hash`.
 * @param notification as JSON, an object
 */
export const deliveryBody = (notification: string, { number, previousHash }: ChainPosition): string =>
  // The notification without the closing brace.
  `${notification.slice(0, -1)},"delivery":{"number":${number},"previous_hash":"${previousHash}"}}`

export const hashOf = (body: string): string => createHash('sha256').update(body).digest('hex')

export interface SignedDelivery extends ChainPosition {
  /** The notification's id. Each attempt has the same. */
  id: string
  body: string
}

/**
 * The headers of Standard Webhooks (https://www.standardwebhooks.com), plus number and previous hash.
 * @param secrets `whsec_…`. Each secret adds a signature.
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
