import { CONTRACT, contractIsMissing } from '../../contracts/contract-store.ts'
import type { ClaimAddress, ExportedClaim } from '../../core/claims/claim.ts'
import type { Connection } from '../../platform/database/connection.ts'
import { METADATA, METADATA_IF_SHORT } from '../../platform/database/metadata.ts'
import {
  CLAIM_COLUMNS_IF_SHORT,
  CLAIM_COLUMNS_WITH_HASH,
  type ClaimFactsRow,
  type ListedClaim,
  type ListedClaimRow,
  toClaimFacts,
  toClaimWithMetadata,
} from '../claim-columns.ts'
import type { ClaimFilter } from './claim-selection.ts'
import { type ListPage, readListPage } from './list-page-store.ts'

/** A page of the account's claims, or of its candidates. */
export async function listClaims(db: Connection, filter: ClaimFilter): Promise<ListPage<ListedClaim>> {
  const { rows, next } = await readListPage<ListedClaimRow>(
    db,
    filter,
    CLAIM_COLUMNS_WITH_HASH,
    // Computed only for the records of the page.
    CLAIM_COLUMNS_IF_SHORT,
  )
  return { rows: rows.map(toClaimWithMetadata), next }
}

/** The contracts of these claims as JSON, by claim id. @throws UNAVAILABLE if one is missing */
export async function readContracts(db: Connection, ids: readonly string[]): Promise<Map<string, string>> {
  const rows = await db.query<{ id: string; contract: string | null }>({
    name: 'read_contracts',
    text: `-- read_contracts
      SELECT id, ${CONTRACT}::text AS contract FROM claims WHERE id = ANY ($1)`,
    values: [ids],
    readOnly: true,
  })
  return new Map(
    rows.map(({ id, contract }) => {
      if (contract === null) throw contractIsMissing()
      return [id, contract]
    }),
  )
}

/** The contracts and the metadata of these claims as JSON, by claim id. @throws UNAVAILABLE if a contract is missing */
export async function readLongParts(
  db: Connection,
  ids: readonly string[],
): Promise<Map<string, { contract: string; metadata: string }>> {
  const rows = await db.query<{ id: string; contract: string | null; metadata: string }>({
    name: 'read_long_parts',
    text: `-- read_long_parts
      SELECT id, ${CONTRACT}::text AS contract, ${METADATA} AS metadata FROM claims WHERE id = ANY ($1)`,
    values: [ids],
    readOnly: true,
  })
  return new Map(
    rows.map(({ id, contract, metadata }) => {
      if (contract === null) throw contractIsMissing()
      return [id, { contract, metadata }]
    }),
  )
}

/** The metadata of these claims as JSON, by claim id. */
export async function readMetadata(
  db: Connection,
  ids: readonly string[],
): Promise<Map<string, { metadata: string }>> {
  const rows = await db.query<{ id: string; metadata: string }>({
    name: 'read_metadata',
    text: `-- read_metadata
      SELECT id, ${METADATA} AS metadata FROM claims WHERE id = ANY ($1)`,
    values: [ids],
    readOnly: true,
  })
  return new Map(rows.map(({ id, metadata }) => [id, { metadata }]))
}

interface ExportedRow extends ClaimFactsRow {
  price: string
  metadata: string | null
}

const EXPORTED_FACTS = `id, reference, candidate_alias, customer_id, customer_external_id, status, scheduled_outcome, price,
  status_since, due_at, schema_id, schema_version, test_clock_id, created_at`

/** Long metadata is null. */
type ListedExport = Omit<ExportedClaim, 'metadata'> & { metadata: string | null }

/** The same page, for an export. */
export async function listExportedClaims(
  db: Connection,
  filter: ClaimFilter,
): Promise<ListPage<ListedExport>> {
  const { rows, next } = await readListPage<ExportedRow>(
    db,
    filter,
    `${EXPORTED_FACTS}, metadata`,
    // Computed only for the records of the page.
    `${EXPORTED_FACTS}, ${METADATA_IF_SHORT} AS metadata`,
  )
  const toExported = ({ price, metadata, ...row }: ExportedRow) => ({ ...toClaimFacts(row), price, metadata })
  return { rows: rows.map(toExported), next }
}

/** The position of a claim or candidate in its account's list, by its UUID. Null if there is none. */
export async function findClaimPosition(
  db: Connection,
  userId: string,
  kind: ClaimAddress['kind'],
  id: string,
): Promise<string | null> {
  const [row] = await db.query<{ position: string }>({
    name: 'find_claim_position',
    text: `-- find_claim_position
      SELECT position FROM claims
      WHERE id = $1 AND user_id = $2 AND (candidate_alias IS NOT NULL) = $3`,
    values: [id, userId, kind === 'candidate'],
  })
  return row?.position ?? null
}
