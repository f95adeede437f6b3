import { type Client, outcomeOf, parse } from '../../clients/client.ts'
import type { Account } from '../../clients/records.ts'
import { assert } from '../../model/finding.ts'
import { canonical, type JsonObject } from '../../model/json.ts'
import { addCreation, addUnknown } from './add-claim.ts'
import { bodyOf, drawNewClaim } from './new-claim.ts'

const MAX_IN_BATCH = 8

/** Many creations in one request, each with its own outcome. */
export async function createBatch(client: Client, account: Account): Promise<void> {
  const { random, world } = client
  const isOfCandidates = random.chance(0.5)
  const kind = isOfCandidates ? 'candidates' : 'claims'
  const newClaim = Array.from({ length: random.int(1, MAX_IN_BATCH) }, () =>
    drawNewClaim(client, account, isOfCandidates),
  )
  world.count(`create ${kind} in a batch`, newClaim.length)
  const body = JSON.stringify({ [kind]: newClaim.map(bodyOf) })
  account.claimsInProgress += newClaim.length
  const reply = await client.send(account, { method: 'POST', path: `/v1/${kind}/batch`, body })
  account.claimsInProgress -= newClaim.length
  const outcome = outcomeOf(reply)
  if (outcome === 'unknown') for (const one of newClaim) addUnknown(account, one)
  if (reply.kind !== 'answer' || outcome !== 'done') return
  const results = parse(reply.text).results as JsonObject[]
  assert(
    results.length === newClaim.length,
    () => 'a batch has as many results as items',
    () => reply,
  )
  for (const [i, one] of newClaim.entries()) {
    const result = results[i] as JsonObject
    const isUnknown =
      Number(result.status) >= 500 && (Number(result.status) === 500 || /not known/.test(canonical(result)))
    if (isUnknown) addUnknown(account, one)
    if (Number(result.status) >= 500) continue
    addCreation(account, one, Number(result.status), (result.claim ?? result.candidate) as JsonObject, reply)
  }
}
