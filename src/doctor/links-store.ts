import type { Connection } from '../platform/database/connection.ts'

/** An endpoint of webhooks, as far as its deliveries can be held to it. */
export interface EndpointToHold {
  id: string
  disabled: string | null
  failing: boolean
  lastNumber: number
  lastHash: string
  secret: Buffer
}

/** A delivery as a link of its endpoint's chain. */
export interface Link {
  number: number
  hash: string
  previousHash: string
  /** Whether the hash is that of the body. */
  isOfBody: boolean
}

export async function readEndpointsToHold(db: Connection): Promise<EndpointToHold[]> {
  const rows = await db.query<Omit<EndpointToHold, 'lastNumber'> & { lastNumber: string }>({
    text: `-- read_endpoints_to_hold
      SELECT id, disabled, failing_since IS NOT NULL AS failing, last_number AS "lastNumber", last_hash AS "lastHash", secret
      FROM webhook_endpoints WHERE disabled IS DISTINCT FROM 'deleted' ORDER BY id`,
    readOnly: true,
  })
  return rows.map((row) => ({ ...row, lastNumber: Number(row.lastNumber) }))
}

/** The next deliveries to an endpoint. */
export async function readLinks(
  db: Connection,
  endpointId: string,
  after: number,
  count: number,
): Promise<Link[]> {
  const rows = await db.query<Omit<Link, 'number'> & { number: string }>({
    text: `-- read_links
      SELECT number, hash, previous_hash AS "previousHash",
        encode(sha256(convert_to(body, 'UTF8')), 'hex') = hash AS "isOfBody"
      FROM webhook_deliveries WHERE endpoint_id = $1 AND number > $2 ORDER BY number LIMIT $3`,
    values: [endpointId, after, count],
    readOnly: true,
  })
  return rows.map((row) => ({ ...row, number: Number(row.number) }))
}
