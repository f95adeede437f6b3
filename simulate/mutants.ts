/** A defect that somebody could make; the simulator must find it. */
export interface Mutant {
  name: string
  edits: readonly { file: string; find: string; replace: string }[]
  /** The faults without which nobody would feel it. */
  faults?: string
}

const edit = (file: string, find: string, replace: string) => ({ file: `src/${file}`, find, replace })

export const MUTANTS: readonly Mutant[] = [
  {
    name: 'an event is appended without the guard',
    edits: [
      edit(
        'storage/append-events.ts',
        'c.status = d.status AND c.event_count = d.seen',
        'c.status = d.status',
      ),
    ],
  },
  {
    name: 'a repeat within a group is counted twice',
    edits: [
      edit(
        'app/claim-draft.ts',
        'if (this.#recorded.has(submission.id) || this.#added.has(submission.id)) {',
        'if (this.#recorded.has(submission.id)) {',
      ),
    ],
  },
  {
    name: 'a repeat is counted twice where a copy is at hand',
    edits: [
      edit(
        'app/claim-copies.ts',
        'copy.idHashes.includes(hashOf(id))',
        'copy.idHashes.length < 0 && id === ""',
      ),
    ],
  },
  {
    name: 'a repeat with other content is no conflict',
    edits: [
      edit(
        'domain/decide-submission.ts',
        "return isSame ? 'replay' : 'id-conflict'",
        "return isSame || recorded ? 'replay' : 'id-conflict'",
      ),
    ],
  },
  {
    name: 'a stale copy is used to refuse and to repeat',
    edits: [
      edit('app/submit-group.ts', 'return draft.writes ? { draft } : null', 'return { draft }'),
      edit('app/claim-draft.ts', "if (this.#after.status !== 'OPEN') return false\n", ''),
    ],
  },
  {
    name: 'on a clock the check comes a minute late where the window ends on the minute',
    edits: [
      edit(
        'domain/scheduled-transitions.ts',
        'const due = Math.ceil(dueAt.getTime() / MINUTE_MS)',
        'const due = Math.floor(dueAt.getTime() / MINUTE_MS) + 1',
      ),
    ],
  },
  {
    name: 'the live check comes a minute early',
    edits: [
      edit('app/read-check-time.ts', 'return new Date(next - MINUTE_MS)', 'return new Date(next)'),
      edit('app/read-check-time.ts', 'const TOLERATED_LEAD_MS = 5_000', 'const TOLERATED_LEAD_MS = -1'),
    ],
  },
  {
    name: 'the state after a timeout is that of the other outcome',
    edits: [
      edit(
        'domain/lifecycle.ts',
        "terms.timeout_outcome === 'confirm'",
        "terms.timeout_outcome !== 'confirm'",
      ),
    ],
  },
  {
    name: 'an event is recorded on a clock that is being advanced',
    edits: [
      edit(
        'storage/append-events.ts',
        'AND id = ANY ($13::uuid[]) FOR SHARE SKIP LOCKED',
        'AND id = ANY ($13::uuid[])',
      ),
    ],
  },
  {
    name: 'a claim is read without a look at its owner',
    edits: [
      edit(
        'storage/claims.ts',
        'WHERE id = $1 AND user_id = $2 AND',
        'WHERE id = $1 AND $2::uuid IS NOT NULL AND',
      ),
      edit(
        'storage/claim-log.ts',
        'WHERE c.id = $1 AND c.user_id = $2 AND',
        'WHERE c.id = $1 AND $2::uuid IS NOT NULL AND',
      ),
    ],
  },
  {
    name: 'an event is taken without a look at the owner',
    edits: [edit('app/claim-draft.ts', 'if (claim.userId !== userId || !isAt', 'if (!userId || !isAt')],
  },
  {
    name: 'a customer is renamed without a look at the owner',
    edits: [
      edit(
        'storage/customers.ts',
        'SET name = $3 WHERE user_id = $1 AND id = $2',
        'SET name = $3 WHERE $1::uuid IS NOT NULL AND id = $2',
      ),
    ],
  },
  {
    name: 'a cursor skips a record',
    edits: [
      edit(
        'storage/list-query.ts',
        "order === 'asc' ? '>' : '<', position)",
        "order === 'asc' ? '>' : '<', position === null ? null : String(BigInt(position) + (order === 'asc' ? 1n : -1n)))",
      ),
    ],
  },
  {
    name: 'a list is read without the turnstile',
    edits: [edit('storage/list-page.ts', 'if (!highest?.fresh)', 'if (!highest?.fresh || highest.fresh)')],
  },
  {
    name: 'a revocation is not heard',
    edits: [
      edit(
        'app/token-owners.ts',
        'this.#generation++\n    this.#remembered.delete(keyOf(hash))',
        'void hash',
      ),
    ],
  },
  {
    name: 'a check moves a claim that was settled meanwhile',
    edits: [
      edit(
        'storage/due-claims.ts',
        'c.status = d.from_status AND c.event_count = d.seen\n        RETURNING c.id, c.event_count',
        'c.event_count >= d.seen\n        RETURNING c.id, c.event_count',
      ),
    ],
  },
  {
    name: 'a transaction that failed is not rolled back, and its connection lent again',
    edits: [
      edit('storage/borrower.ts', "await connection.query({ text: 'ROLLBACK' }).catch(() => {})", ''),
      edit(
        'storage/pool.ts',
        "return use?.askedAt === null && !use.isEnding && client.getTransactionStatus() === 'I'",
        'return use?.askedAt === null && !use.isEnding',
      ),
    ],
    faults: 'check-struck,advance-struck,refused-40001',
  },
  {
    name: 'the outcome of a group of which one part was lost is forgotten',
    edits: [
      edit(
        'app/write-drafts.ts',
        'for (const attempt of some) attempt.written = writtenTo(attempt.draft, result)',
        'if (!isOver) for (const attempt of some) attempt.written = writtenTo(attempt.draft, result)',
      ),
    ],
    faults: 'answers-lost,backends-terminated',
  },
  {
    name: 'a lost write is taken for none',
    edits: [
      edit(
        'storage/database-away.ts',
        ": 'The connection to the database was lost; whether the request took effect is not known.',\n      readOnly,",
        ": 'The connection to the database was lost; whether the request took effect is not known.',\n      true,",
      ),
    ],
    faults: 'answers-lost,backends-terminated',
  },
]
