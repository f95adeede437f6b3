import type { Answer } from './api-client.ts'
import { contractWith } from './contracts.ts'
import { uniqueName } from './new-records.ts'
import type { TestService } from './test-service.ts'

/** What go together in groups are claims of one shard: makes one until it is in the first, which is at once if there is one. */
export async function ofFirstShard<Claim extends { id: string }>(
  { app }: Pick<TestService, 'app'>,
  make: () => Promise<Claim>,
): Promise<Claim> {
  for (;;) {
    const claim = await make()
    if (app.db.distribution.shardOf(claim.id) === 0) return claim
  }
}

/** `count` new claims that share groups. */
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
