import type { Answer } from './api-client.ts'
import { contractWith } from './contracts.ts'
import { uniqueName } from './new-records.ts'
import type { TestService } from './test-service.ts'

/** So many new claims that go together in groups: on distributed tables, those of one shard. */
export async function claimsOfOneShard(
  { api, app }: Pick<TestService, 'api' | 'app'>,
  count: number,
  contract = contractWith(),
): Promise<Answer['body'][]> {
  const customer = await api.customer(uniqueName('customer'))
  const claims: Answer['body'][] = []
  while (claims.length < count) {
    const claim = await api.claim(customer, contract)
    if (app.db.distribution.shardOf(claim.id) === 0) claims.push(claim)
  }
  return claims
}
