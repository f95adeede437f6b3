import type { Answer } from './api-client.ts'
import { contractWith } from './contracts.ts'
import { uniqueName } from './new-records.ts'
import type { TestService } from './test-service.ts'

/**
 * Only claims of one shard share a batch. Creates claims until one is in the first shard; without Citus that is the
 * first claim.
 */
export async function ofFirstShard<Claim extends { id: string }>(
  { app }: Pick<TestService, 'app'>,
  make: () => Promise<Claim>,
): Promise<Claim> {
  for (;;) {
    const claim = await make()
    if (app.db.distribution.shardOf(claim.id) === 0) return claim
  }
}

/** `count` new claims that share batches. */
export async function claimsOfOneShard(
  service: Pick<TestService, 'api' | 'app'>,
  count: number,
  contract = contractWith(),
): Promise<Answer['body'][]> {
  const customer = await service.api.customer(uniqueName('customer'))
  const claims: Answer['body'][] = []
  while (claims.length < count)
    claims.push(await ofFirstShard(service, () => service.api.claim(customer, contract)))
  return claims
}
