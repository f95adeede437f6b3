import { contractIsMissing } from '../contracts/contract-store.ts'
import { countsInStatus } from '../core/claims/decide-at.ts'
import type { Evidence, PlacedEvidence } from '../core/claims/event.ts'
import { batchesByWeight } from '../kernel/batches-by-weight.ts'
import type { Connection } from '../platform/database/connection.ts'
import { CLAIM_COLUMNS_AS_STORED, type StoredClaimRow } from './claim-columns.ts'
import type { LogRow } from './claim-row-store.ts'
import { type ClaimToDecide, toClaimToDecide } from './claims-to-decide.ts'
import { LONG_LOG_BATCH_BYTES } from './limits.ts'

/** A decisive event or a system event. */
type DecisiveSize = Pick<PlacedEvidence, 'seq' | 'isLate'> & { bytes: number; system: boolean }

interface LongLogReader {
  /** With the ids of all events, but without the decisive events. */
  onClaim: (claim: ClaimToDecide) => void
  /** Called for each batch of the events that count in the claim's status. */
  onDecisive: (events: Evidence[]) => Promise<void>
}

/**
 * Reads a claim that may take events, and its log in batches, all of one version. Calls nothing if the claim is gone.
 */
export async function readLongLog(db: Connection, claimId: string, reader: LongLogReader): Promise<void> {
  const [row] = await db.query<StoredClaimRow & LogRow & { decisive_sizes: DecisiveSize[] | null }>({
    name: 'read_long_log',
    text: `-- read_long_log
      SELECT ${CLAIM_COLUMNS_AS_STORED}, greatest(status_since, log.last_at) AS last_at, log.ids, log.decisive_sizes
      FROM claims c LEFT JOIN contracts k ON k.hash = c.contract_hash LEFT JOIN LATERAL (
        SELECT max(e.created_at) AS last_at, json_agg(e.id) AS ids,
          json_agg(json_build_object('seq', e.seq, 'bytes', octet_length(e.payload::text), 'system', e.system,
            'isLate', e.late_ms IS NOT NULL) ORDER BY e.seq)
            FILTER (WHERE e.type = ANY (coalesce(k.event_types, c.decisive_event_types)) OR e.system) AS decisive_sizes
        FROM claim_events e
        WHERE e.claim_id = $1
      ) log ON true
      WHERE c.id = $1 AND (c.status = 'OPEN' OR (c.status = 'PENDING' AND c.decided_count IS NOT NULL))`,
    values: [claimId],
    readOnly: true,
  })
  if (!row) return
  if (row.contract === null) throw contractIsMissing()
  const { decisive_sizes, ...claim } = row
  const read = toClaimToDecide({ ...claim, is_read: true, digest: null, decisive: null })
  reader.onClaim(read)
  const sizes = decisive_sizes ?? []
  const counting = sizes.filter(countsInStatus(read.claim, sizes))
  for (const piece of batchesByWeight(counting, ({ bytes }) => bytes, { maxWeight: LONG_LOG_BATCH_BYTES })) {
    const seqs = piece.map(({ seq }) => seq)
    await reader.onDecisive(await readEvidence(db, claimId, seqs))
  }
}

function readEvidence(db: Connection, claimId: string, seqs: readonly number[]): Promise<Evidence[]> {
  return db.query<Evidence>({
    name: 'read_evidence',
    text: `-- read_evidence
      SELECT type, payload, system FROM claim_events WHERE claim_id = $1 AND seq = ANY ($2)`,
    values: [claimId, seqs],
    readOnly: true,
  })
}
