import type { Schema } from './api-document.ts'
import type { FuzzContext } from './context.ts'
import { poster } from './records.ts'
import { validValue } from './valid-values.ts'

const CLAIMS_PER_BATCH = 1_000
const BATCHES_PER_ROUND = 2
const MAX_ROUNDS = 40
/** The caches are full after two rounds in which the heap grows by less than this. */
const STABLE_GROWTH_MB = 1
const STABLE_ROUNDS = 2

/**
 * Fills the server's bounded caches of claims and contracts. Growth of the heap afterwards is a leak.
 * @param heapMb the server's heap after a garbage collection
 * @returns false if the heap did not stop growing
 */
export async function fillCaches(context: FuzzContext, heapMb: () => Promise<number>): Promise<boolean> {
  const fill = await batchCreator(context)
  let [before, flat] = [await heapMb(), 0]
  for (let round = 0; round < MAX_ROUNDS && flat < STABLE_ROUNDS; round++) {
    for (let i = 0; i < BATCHES_PER_ROUND; i++) await fill()
    const after = await heapMb()
    flat = after - before < STABLE_GROWTH_MB ? flat + 1 : 0
    before = after
  }
  return flat === STABLE_ROUNDS
}

interface Results {
  results: { claim?: { id: string } }[]
}

/** Creates claims with random contracts. Each gets an event that satisfies no condition. */
async function batchCreator(context: FuzzContext): Promise<() => Promise<void>> {
  const { document, random, account, prefix } = context
  const post = poster(context)
  const { id: customer_id } = await post('/v1/customers', { external_id: `${prefix}-${random.int(0, 1e12)}` })
  const path = '/v1/claims'
  const content = document.operation('createClaim').bodies['application/json']
  const { contract: schema } = document.resolve(content?.schema ?? {}).properties as Record<string, Schema>
  const origin = { document, random, known: account.known, prefix, path }
  const contract = () => validValue(origin, schema as Schema)
  return async () => {
    const claims = Array.from({ length: CLAIMS_PER_BATCH }, () => ({ customer_id, contract: contract() }))
    const { results } = await post<Results>(`${path}/batch`, { claims })
    const made = results.flatMap(({ claim }) => claim?.id ?? [])
    await post('/v1/events/batch', { events: made.map((claim_id) => ({ claim_id, type: 'no effect' })) })
  }
}
