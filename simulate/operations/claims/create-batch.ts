import { type Client, outcomeOf, parse } from '../../clients/client.ts'
import type { Account } from '../../clients/records.ts'
import { demand } from '../../model/finding.ts'
import { canonical, type JsonObject } from '../../model/json.ts'
import { addCreation, noteUnknown } from './add-claim.ts'
import { bodyOf, drawWanted } from './wanted-claim.ts'

const MOST_IN_BATCH = 8

/** Many creations in one request, each with its own outcome. */
export async function createBatch(client: Client, account: Account): Promise<void> {
  const { random, world } = client
  const isOfCandidates = random.chance(0.5)
  const kind = isOfCandidates ? 'candidates' : 'claims'
  const wanted = Array.from({ length: random.int(1, MOST_IN_BATCH) }, () =>
    drawWanted(client, account, isOfCandidates),
  )
  world.count(`create ${kind} in a batch`, wanted.length)
  const body = JSON.stringify({ [kind]: wanted.map(bodyOf) })
  account.claimsUnderWay += wanted.length
  const reply = await client.send(account, { method: 'POST', path: `/v1/${kind}/batch`, body })
  account.claimsUnderWay -= wanted.length
  const outcome = outcomeOf(reply)
  if (outcome === 'unknown') for (const one of wanted) noteUnknown(account, one)
  if (reply.is !== 'answer' || outcome !== 'done') return
  const results = parse(reply.text).results as JsonObject[]
  demand(
    results.length === wanted.length,
    () => 'a batch has as many results as items',
    () => reply,
  )
  for (const [i, one] of wanted.entries()) {
    const result = results[i] as JsonObject
    const isUnknown =
      Number(result.status) >= 500 && (Number(result.status) === 500 || /not known/.test(canonical(result)))
    if (isUnknown) noteUnknown(account, one)
    if (Number(result.status) >= 500) continue
    addCreation(account, one, Number(result.status), (result.claim ?? result.candidate) as JsonObject, reply)
  }
}
