import type { ArchivedClaimRow, ArchivedEventRow } from './claims-to-archive-store.ts'

/*
 * A line of an archive file: the claim, its contract and its complete log, as JSON. The contract and the payloads are the stored
 * texts, unchanged, so that the hash of the contract and the digest of the log can be verified.
 */

/** The version of the line's format. */
const FORMAT = 1

/** The line up to its events. The events follow, joined by commas, and then `LINE_END`. */
export function lineStart({
  contract,
  metadata_digest: _,
  review_start,
  reminders,
  ...claim
}: ArchivedClaimRow): string {
  const fields = JSON.stringify({ format: FORMAT, ...claim, ...withoutNulls({ review_start, reminders }) })
  return `${fields.slice(0, -1)},"contract":${contract},"events":[`
}

export function eventJson({ claim_id: _, payload, late_ms, ...event }: ArchivedEventRow): string {
  return `${JSON.stringify({ ...event, ...withoutNulls({ late_ms }) }).slice(0, -1)},"payload":${payload}}`
}

/** Few claims have these fields: the lines of others stay the same. */
const withoutNulls = (fields: Record<string, number | readonly number[] | null | undefined>) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => (value ?? null) !== null))

export const LINE_END = ']}\n'

/** The content of a line, with the names of the columns. */
export interface ArchivedRecord {
  claim: Omit<ArchivedClaimRow, 'contract'> & { contract: unknown }
  events: ArchivedEventRow[]
}

/** @throws Error if the line is not JSON or has another format */
export function readLine(line: string): ArchivedRecord {
  const { format, events, ...claim } = JSON.parse(line)
  if (format !== FORMAT) throw new Error(`it has the format ${JSON.stringify(format)}, not ${FORMAT}`)
  return {
    claim: {
      ...claim,
      status_since: new Date(claim.status_since),
      created_at: new Date(claim.created_at),
    },
    events: events.map((event: Omit<ArchivedEventRow, 'claim_id'>) => ({
      ...event,
      claim_id: claim.id,
      created_at: new Date(event.created_at),
      payload: JSON.stringify(event.payload),
    })),
  }
}

/** The bytes by which the line of a claim is recognized without parsing it. */
export const claimPrefix = (id: string): string => `{"format":${FORMAT},"id":"${id}"`
