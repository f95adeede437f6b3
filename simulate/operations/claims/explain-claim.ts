import { type Client, parse } from '../../clients/client.ts'
import type { ClaimRecord } from '../../clients/records.ts'
import { isExplainedBy } from '../../model/explain.ts'
import { demand } from '../../model/finding.ts'
import { readClaim } from './read-claim.ts'

/** Between two reads of the log, so that it is known what can have been explained. */
export async function explainClaim(client: Client, record: ClaimRecord): Promise<void> {
  if (!(await readClaim(client, record)) || record.isGone) return
  const from = record.longest.length
  client.world.count('explain claim')
  const reply = await client.send(record.account, { method: 'GET', path: `${record.path}/explanation` })
  if (reply.is !== 'answer' || reply.status !== 200) return
  if (!(await readClaim(client, record)) || record.isGone) return
  const { condition } = parse(reply.text)
  const { contract } = record.terms
  const about = () => ({ condition, contract, log: record.longest.slice(-50) })
  const isRight = isExplainedBy(
    condition,
    contract.fulfillment_condition,
    record.longest,
    Math.min(from, record.longest.length),
  )
  demand(isRight, () => `${record.name} is explained otherwise than by its log`, about)
}
