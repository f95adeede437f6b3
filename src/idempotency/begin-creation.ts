import type { App } from '../app.ts'
import type { AskedKey, CreationKey } from './idempotency-key-store.ts'
import { keyReused } from './key-reused.ts'

export type { CreationKey } from './idempotency-key-store.ts'

/**
 * Of a request that creates claims or candidates: what their ids are made of, the same each time it is sent (§4.17). So
 * whatever is sent again, or was half done, comes to the same claims, without a transaction that holds all of them.
 * @throws IDEMPOTENCY_KEY_REUSED, UNAVAILABLE
 */
export async function beginCreation(app: App, asked: AskedKey): Promise<CreationKey> {
  const key = await app.creations.keys.do(asked.userId, asked)
  if (!key) throw keyReused()
  return key
}
