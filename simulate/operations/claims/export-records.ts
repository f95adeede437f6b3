import type { Client } from '../../clients/client.ts'
import type { Account } from '../../clients/records.ts'
import { escapeFormula, readCsv } from '../../model/csv.ts'
import { assert } from '../../model/finding.ts'
import type { JsonObject } from '../../model/json.ts'
import type { Filters } from './list-filters.ts'
import type { ListResult } from './read-pages.ts'

const STATE = [
  'status',
  'scheduled_outcome',
  'price',
  'status_since',
  'due_at',
  'schema_id',
  'test_clock_id',
  'created_at',
]
const COLUMNS = {
  claims: ['id', 'customer_id', ...STATE, 'reference', 'customer_external_id', 'schema_version', 'metadata'],
  candidates: ['candidate_alias', 'customer_uuid', ...STATE, 'schema_version', 'metadata'],
}

/** §4.1: the filtered list as CSV, with rows in the form of the list. Null: it did not arrive completely. */
export async function exported(
  client: Client,
  account: Account,
  { isOfCandidates, query }: Filters,
): Promise<ListResult | null> {
  const kind = isOfCandidates ? 'candidates' : 'claims'
  const path = `/v1/${kind}/export?${new URLSearchParams(query)}`
  const reply = await client.send(account, { method: 'GET', path })
  if (reply.kind !== 'answer' || reply.status >= 500) return null
  const { sentAt, answeredAt } = reply
  const about = () => ({ path, reply })
  assert(reply.status === 200, () => `an export was answered ${reply.status}`, about)
  const header = `${COLUMNS[kind].join()}\n`
  assert(reply.text.startsWith(header), () => `an export of ${kind} has other columns`, about)
  const rows = readCsv(reply.text).map((fields) => asListed(account, fields, about))
  return { shown: rows.map((row) => ({ row, sentAt, answeredAt })), sentAt, total: null }
}

/** Fields that a file omits are taken from the creation. All others must be equal. */
export function asListed(
  { byAddress, customers }: Pick<Account, 'byAddress' | 'customers'>,
  {
    price,
    reference = null,
    customer_external_id,
    schema_version: version = null,
    metadata: noted = null,
    ...fields
  }: Record<string, string | null>,
  about: () => unknown,
): JsonObject {
  const name = (fields.candidate_alias ?? fields.id) as string
  // The simulator's names do not begin with a quote.
  const address = name.replace(/^'/, '')
  assert(escapeFormula(address) === name, () => `${address} is exported as ${name}`, about)
  const alias = 'candidate_alias' in fields ? { candidate_alias: address } : {}
  const record = byAddress.get(address)
  // The response to its creation may not have arrived yet. Of a contract, the file has only the price.
  if (!record)
    return {
      ...fields,
      ...alias,
      contract: { price: Number(price) },
      metadata: JSON.parse(noted ?? '{}') as JsonObject,
    }
  const isExpected = Number(price) === record.terms.contract.price
  assert(isExpected, () => `${record.name} is exported at another price`, about)
  const named = (record.fixed.reference ?? null) as string | null
  const isNamed = reference === (named && escapeFormula(named))
  assert(isNamed, () => `${record.name} is exported with another reference`, about)
  const customer = customers.find(({ id }) => id === fields.customer_id)
  const isOfCustomer = !customer || customer_external_id === escapeFormula(customer.externalId)
  assert(isOfCustomer, () => `${record.name} is exported with the external id of another customer`, about)
  const ofVersion = version === null ? null : Number(version)
  const isOfVersion = ofVersion === (record.fixed.schema_version ?? null)
  assert(isOfVersion, () => `${record.name} is exported with another version of its schema`, about)
  const metadata = JSON.parse(noted ?? '{}') as JsonObject
  return { ...record.fixed, ...fields, ...alias, metadata }
}
