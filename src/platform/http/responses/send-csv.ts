import { stringify } from 'csv-stringify/sync'
import type { FastifyReply } from 'fastify'
import { Type } from 'typebox'
import type { ExportedClaim } from '../../../core/claims/claim.ts'
import { spreadsheetField, spreadsheetJson } from '../../../kernel/text.ts'
import { sendStream } from './response-stream.ts'

type Pages = AsyncIterable<readonly ExportedClaim[]>
/** The columns of a file by their names in its header line. */
type Columns = Record<string, (claim: ExportedClaim) => string | null>

const STATE: Columns = {
  status: ({ status }) => status,
  scheduled_outcome: ({ scheduledOutcome }) => scheduledOutcome,
  price: ({ price }) => price,
  status_since: ({ statusSince }) => statusSince.toISOString(),
  due_at: ({ dueAt }) => dueAt?.toISOString() ?? null,
  schema_id: ({ schemaId }) => schemaId,
  test_clock_id: ({ testClockId }) => testClockId,
  created_at: ({ createdAt }) => createdAt.toISOString(),
}
/** Columns that were added later stand behind the others. */
const LATER: Columns = {
  schema_version: ({ schemaVersion }) => schemaVersion?.toString() ?? null,
  metadata: ({ metadata }) => (metadata === '{}' ? null : spreadsheetJson(metadata)),
}
export const CLAIM_COLUMNS: Columns = {
  id: ({ id }) => id,
  customer_id: ({ customerId }) => customerId,
  ...STATE,
  reference: ({ reference }) => reference,
  customer_external_id: ({ customerExternalId }) => customerExternalId,
  ...LATER,
}
export const CANDIDATE_COLUMNS: Columns = {
  candidate_alias: ({ candidateAlias }) => candidateAlias,
  customer_uuid: ({ customerExternalId }) => customerExternalId,
  ...STATE,
  ...LATER,
}

/** For the OpenAPI document. */
export const CSV_RESPONSE = {
  description: 'CSV in UTF-8: a header line, then one line per record.',
  mediaType: 'text/csv',
  headers: {
    'Content-Disposition': { type: 'string', description: 'attachment, with the name of the file' },
  },
  schema: Type.String(),
} as const

/**
 * Sends the pages as one file with this name. A page is read when the previous one is written to the connection.
 * Reading stops when the client disconnects.
 */
export function sendCsv(
  reply: FastifyReply,
  name: string,
  columns: Columns,
  pages: Pages,
): Promise<FastifyReply> {
  reply
    .header('Content-Type', 'text/csv; charset=utf-8')
    .header('Content-Disposition', `attachment; filename="${name}.csv"`)
  return sendStream(reply, toText(columns, pages))
}

async function* toText(columns: Columns, pages: Pages): AsyncGenerator<string, undefined> {
  yield toLines([Object.keys(columns)])
  for await (const page of pages) {
    yield toLines(page.map((claim) => Object.values(columns).map((read) => read(claim))))
  }
}

/** Spreadsheets in some countries split at these characters. A field with one is quoted. */
const SEPARATORS = /[;\t]/

const toLines = (records: (string | null)[][]) =>
  stringify(
    records.map((fields) => fields.map((field) => field && spreadsheetField(field))),
    { quoted_match: SEPARATORS },
  )
