import type { ApiClient } from '../support/api-client.ts'
import { contractWith } from '../support/contracts.ts'
import { newCustomer } from '../support/new-records.ts'
import { runBatch } from '../support/run-batch.ts'

/** As an object it takes two megabytes: four of an account may be held. */
const heavyContract = (n: number) =>
  contractWith({
    fulfillment_condition: {
      event: 'done',
      match: { a: [n, ...Array.from({ length: 21_000 }, () => ({}))] },
    },
  })

/** Claims under such contracts, each under one of its own. */
export async function heavyClaims(api: ApiClient, count: number) {
  const customer = await newCustomer(api)
  const contracts = Array.from({ length: count }, (_, n) => heavyContract(n))
  const claims = contracts.map((contract) => ({ customer_id: customer.id, contract }))
  const results = await runBatch(api, '/v1/claims/batch', claims)
  return results.map(({ claim }, i) => ({ id: claim.id as string, contract: contracts[i] }))
}
