import { type ApiClient, describeError } from './api-client.ts'
import { workThrough } from './connections.ts'
import { ReplayFailure } from './failure.ts'
import type { EventLog } from './read-log.ts'

/** Opens a claim for each case, in the order of their first events; returns the claims' ids by case. */
export async function openClaims(
  client: ApiClient,
  log: EventLog,
  contract: unknown,
  connections: number,
  onOpened: () => void,
): Promise<Map<string, string>> {
  const claimIds = new Map<string, string>()
  const customerIds = new Map<string, Promise<string>>()
  const customerIdOf = (caseName: string) => {
    const externalId = log.customers.get(caseName) as string
    // The promise is kept, not its result: of cases that begin together one creates their customer.
    const known = customerIds.get(externalId) ?? ensureCustomer(client, externalId)
    customerIds.set(externalId, known)
    return known
  }
  // One iterator that all connections take from.
  const cases = new Set(log.events.map(({ caseName }) => caseName)).values()
  await workThrough(Array<typeof cases>(connections).fill(cases), async (caseName) => {
    claimIds.set(caseName, await createClaim(client, await customerIdOf(caseName), contract))
    onOpened()
  })
  return claimIds
}

/** The customer may exist: from an earlier run, or from a request whose response was lost. */
async function ensureCustomer(client: ApiClient, externalId: string): Promise<string> {
  const created = await client.send('POST', '/v1/customers', { external_id: externalId })
  if (created.status === 201) return (created.body as { id: string }).id
  if (created.status === 409) {
    const found = await client.send(
      'GET',
      `/v1/customers?${new URLSearchParams({ external_id: externalId })}`,
    )
    const id = found.status === 200 && (found.body as { data: { id: string }[] }).data[0]?.id
    if (id) return id
  }
  throw new ReplayFailure(`customer "${externalId}" cannot be created: ${describeError(created)}`)
}

/** Where the answer is lost a second claim is opened; nothing is ever submitted to the first, nor counted. */
async function createClaim(client: ApiClient, customerId: string, contract: unknown): Promise<string> {
  const answer = await client.send('POST', '/v1/claims', { customer_id: customerId, contract })
  if (answer.status === 201) return (answer.body as { id: string }).id
  throw new ReplayFailure(`a claim cannot be opened: ${describeError(answer)}`)
}
