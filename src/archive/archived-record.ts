import type { WholeClaim, WholeEvent } from './claims-to-archive-store.ts'

/*
 * A line of an archive's file: the claim, its contract, and its log whole, as JSON. The contract and the payloads are the very texts
 * that were stored: the hash of the contract, and whatever was computed of the log, can be computed again.
 */

/** By which a reader knows what is in the line; another for another form. */
const FORMAT = 1

/** The beginning of the line, up to the events; then come they, joined by commas, and `END_OF_LINE`. */
export function beginningOfLine({ contract, metadata_digest: _, ...claim }: WholeClaim): string {
  const fields = JSON.stringify({ format: FORMAT, ...claim })
  return `${fields.slice(0, -1)},"contract":${contract},"events":[`
}

export function eventOfLine({ claim_id: _, payload, ...event }: WholeEvent): string {
  return `${JSON.stringify(event).slice(0, -1)},"payload":${payload}}`
}

export const END_OF_LINE = ']}\n'

/** What a line says, by the names that the columns have. */
export interface ArchivedRecord {
  claim: Omit<WholeClaim, 'contract'> & { contract: unknown }
  events: WholeEvent[]
}

/** @throws Error if it is no such line */
export function readLine(line: string): ArchivedRecord {
  const { format, events, ...claim } = JSON.parse(line)
  if (format !== FORMAT) throw new Error(`it has the format ${JSON.stringify(format)}, not ${FORMAT}`)
  return {
    claim: {
      ...claim,
      status_since: new Date(claim.status_since),
      created_at: new Date(claim.created_at),
    },
    events: events.map((event: Omit<WholeEvent, 'claim_id'>) => ({
      ...event,
      claim_id: claim.id,
      created_at: new Date(event.created_at),
      payload: JSON.stringify(event.payload),
    })),
  }
}

/** By which the line of a claim is found without reading all of it: it may have many megabytes. */
export const firstOfLine = (id: string): string => `{"format":${FORMAT},"id":"${id}"`
