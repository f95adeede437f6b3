import type { Claim } from '../domain/claim.ts'
import type { LogEvent } from '../domain/event.ts'
import type { JsonObject } from '../domain/json.ts'
import { addressColumns, CLAIM_COLUMNS, type ClaimAddress, type ClaimRow, toClaim } from './claims.ts'
import type { Connection } from './database.ts'

/** The claim and its whole log; null where the account has none at this address. */
export async function readClaim(
  db: Connection,
  userId: string,
  address: ClaimAddress,
): Promise<{ claim: Claim; log: LogEvent[] } | null> {
  const { id, alias } = addressColumns(address)
  const [row] = await db.query<ClaimRow & { log: StoredEvent[] | null }>({
    name: 'read_claim',
    text: `-- read_claim
      SELECT ${CLAIM_COLUMNS},
        (
          SELECT json_agg(json_build_object('id', e.id, 'type', e.type, 'payload', e.payload,
            'system', e.system, 'created_at', e.created_at) ORDER BY e.seq)
          FROM claim_events e
          WHERE e.claim_id = c.id
        ) AS log
      FROM claims c
      WHERE c.id = $1 AND c.user_id = $2 AND c.candidate_alias IS NOT DISTINCT FROM $3`,
    values: [id, userId, alias],
    readOnly: true,
  })
  return row ? { claim: toClaim(row), log: (row.log ?? []).map(toLogEvent) } : null
}

/** Which event of which claim. */
export interface EventName {
  claimId: string
  id: string
}

/** Those of the named events that are in their claims' logs. */
export async function readEvents(
  db: Connection,
  names: readonly EventName[],
): Promise<(EventName & { event: LogEvent })[]> {
  const rows = await db.query<Omit<StoredEvent, 'created_at'> & { claim_id: string; created_at: Date }>({
    name: 'read_events',
    text: `-- read_events
      SELECT e.claim_id, e.id, e.type, e.payload, e.system, e.created_at
      FROM unnest($1::uuid[], $2::text[]) AS n (claim_id, id)
      JOIN claim_events e ON e.claim_id = n.claim_id AND e.id = n.id
      WHERE e.claim_id = ANY ($1)`,
    values: [names.map(({ claimId }) => claimId), names.map(({ id }) => id)],
    readOnly: true,
  })
  return rows.map(({ claim_id, created_at, ...event }) => ({
    claimId: claim_id,
    id: event.id,
    event: { ...event, createdAt: created_at },
  }))
}

interface StoredEvent {
  id: string
  type: string
  payload: JsonObject
  system: boolean
  created_at: string
}

function toLogEvent({ created_at, ...event }: StoredEvent): LogEvent {
  return { ...event, createdAt: new Date(created_at) }
}
