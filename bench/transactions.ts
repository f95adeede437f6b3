import { decisiveEventTypes } from '../src/core/contracts/contract.ts'
import type { BenchDatabase } from './bench-database.ts'
import { CONTRACT } from './claims.ts'
import { customerPrefix } from './load/creations.ts'
import { type ClaimPick, idPrefix } from './load/submissions.ts'

/* Scripts for pgbench: the statements that each request needs at least. */

/** Lock the claim, read its log, append the event, update the counts. */
export function submissionScript({ set, claims, walk }: ClaimPick): string {
  const [slice, slices] = typeof walk === 'object' && 'slice' in walk ? [walk.slice, walk.slices] : [0, 1]
  const id = `('${idPrefix(set)}' || lpad(to_hex(:claim::bigint), 12, '0'))::uuid`
  return `\\set claim 1 + ${slice} + ${slices} * random(0, ${Math.floor(claims / slices) - 1})
\\set event random(1, 1000000000000)
\\set value random(1, 3)
BEGIN;
SELECT status, contract, due_at, event_count, log_bytes FROM claims WHERE id = ${id} FOR UPDATE \\gset
SELECT type, payload FROM claim_events WHERE claim_id = ${id};
INSERT INTO claim_events (claim_id, seq, id, type, payload, system, created_at)
  VALUES (${id}, :event_count + 1, 'evt-' || :event::bigint, 'satisfaction',
    json_build_object('value', :value::int, 'agent', 'a-17'), false, clock_timestamp());
UPDATE claims SET event_count = :event_count + 1, log_bytes = :log_bytes + 26 WHERE id = ${id};
COMMIT;
`
}

/** Read the claim, then its log. */
export function readingScript({ set, claims }: ClaimPick): string {
  const id = `('${idPrefix(set)}' || lpad(to_hex(:claim::bigint), 12, '0'))::uuid`
  return `\\set claim random(1, ${claims})
SELECT * FROM claims WHERE id = ${id};
SELECT * FROM claim_events WHERE claim_id = ${id} ORDER BY seq;
`
}

/** Look up the customer, insert the claim. */
export function creationScript({ userId }: BenchDatabase, customers: number): string {
  const customer = `('${customerPrefix}' || lpad(to_hex(:customer::bigint), 12, '0'))::uuid`
  return `\\set customer random(1, ${customers})
BEGIN;
SELECT id AS customer_id FROM customers WHERE user_id = '${userId}' AND id = ${customer} \\gset
INSERT INTO claims (id, user_id, customer_id, contract, price, decisive_event_types, status, status_since, due_at, created_at)
  SELECT uuidv7(), '${userId}', :customer_id, '${JSON.stringify(CONTRACT)}', ${CONTRACT.price}, '{${decisiveEventTypes(CONTRACT)}}',
    'OPEN', now, now + interval '${CONTRACT.activity_window} seconds', now FROM clock_timestamp() AS now;
COMMIT;
`
}
