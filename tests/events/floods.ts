import type { Answer, ApiClient } from '../support/api-client.ts'
import { contractWith } from '../support/contracts.ts'
import { runBatch } from '../support/run-batch.ts'

export async function claimsOn(api: ApiClient, clock: string, count: number): Promise<string[]> {
  const customer_id = await api.customer(`customer-${clock}`)
  const contract = contractWith({ activity_window: 8_640_000 })
  const items = Array.from({ length: count }, () => ({ customer_id, contract, test_clock_id: clock }))
  return (await runBatch(api, '/v1/claims/batch', items)).map(({ claim }) => claim.id)
}

/** Sends a number of batches of a thousand events at once. The results, once they are there. */
export async function flood(
  api: ApiClient,
  claims: readonly string[],
  batches: number,
): Promise<Answer['body'][]> {
  const batch = (n: number) =>
    Array.from({ length: 1_000 }, (_, i) => ({
      claim_id: claims[i % claims.length],
      id: `${n}-${i}`,
      type: 'a',
    }))
  const results = await Promise.all(
    Array.from({ length: batches }, (_, n) => runBatch(api, '/v1/events/batch', batch(n))),
  )
  return results.flat()
}
