import type { Seat } from './client.ts'
import type { Schema } from './document.ts'
import { poster } from './records.ts'
import { validValue } from './valid-values.ts'

/** In a batch. */
const CLAIMS = 1_000
const BATCHES_A_ROUND = 2
const MOST_ROUNDS = 40
/** A round after which the heap is less than this larger, in MB, found memories full; two of them are believed. */
const FLAT_MB = 1
const ENOUGH_FLAT = 2

/**
 * A server remembers what it lately saw of claims and contracts, up to bounds. Fills that with claims as a run makes
 * them, so that what grows afterwards is a leak.
 * @param heapMb the server's heap without garbage
 * @returns false if the heap went on growing
 */
export async function fillMemories(seat: Seat, heapMb: () => Promise<number>): Promise<boolean> {
  const fill = await filler(seat)
  let [before, flat] = [await heapMb(), 0]
  for (let round = 0; round < MOST_ROUNDS && flat < ENOUGH_FLAT; round++) {
    for (let i = 0; i < BATCHES_A_ROUND; i++) await fill()
    const after = await heapMb()
    flat = after - before < FLAT_MB ? flat + 1 : 0
    before = after
  }
  return flat === ENOUGH_FLAT
}

interface Results {
  results: { claim?: { id: string } }[]
}

/** Makes claims of all kinds, with an event each that settles none. */
async function filler(seat: Seat): Promise<() => Promise<void>> {
  const { document, random, account, prefix } = seat
  const post = poster(seat)
  const { id: customer_id } = await post('/v1/customers', { external_id: `${prefix}-${random.int(0, 1e12)}` })
  const path = '/v1/claims'
  const content = document.operation('createClaim').bodies['application/json']
  const { contract: schema } = document.resolve(content?.schema ?? {}).properties as Record<string, Schema>
  const origin = { document, random, known: account.known, prefix, path }
  const contract = () => validValue(origin, schema as Schema)
  return async () => {
    const claims = Array.from({ length: CLAIMS }, () => ({ customer_id, contract: contract() }))
    const { results } = await post<Results>(`${path}/batch`, { claims })
    const made = results.flatMap(({ claim }) => claim?.id ?? [])
    await post('/v1/events/batch', { events: made.map((claim_id) => ({ claim_id, type: 'of no meaning' })) })
  }
}
