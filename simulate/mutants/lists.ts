import { edit, type Mutant } from './mutant.ts'

/** Lists and logs. */
export const LIST_MUTANTS: readonly Mutant[] = [
  {
    name: 'a cursor skips a record',
    edits: [
      edit(
        "order === 'asc' ? '>' : '<', position)",
        "order === 'asc' ? '>' : '<', position === null ? null : String(BigInt(position) + (order === 'asc' ? 1n : -1n)))",
      ),
      edit(
        'query.parameter(after.position)}`',
        "query.parameter(String(BigInt(after.position ?? 0) + (order === 'asc' ? 1n : -1n)))}`",
      ),
    ],
  },
  {
    name: 'a cursor repeats its record',
    edits: [
      edit("order === 'asc' ? '>' : '<', position)", "order === 'asc' ? '>=' : '<=', position)"),
      edit(
        "const beyond = order === 'asc' ? '>' : '<'\n  if (time === null)",
        "const beyond = order === 'asc' ? '>=' : '<='\n  if (time === null)",
      ),
    ],
  },
  {
    name: 'a list is read without the insert barrier',
    edits: [edit('if (!highest?.fresh)', 'if (!highest?.fresh || highest.fresh)')],
    faults: 'commits-linger',
    clients: 32,
    accounts: 2,
  },
  {
    name: 'a list ends after its first page of recent records',
    edits: [edit('hasMore: hasMore || settled.length > limit', 'hasMore: settled.length > limit')],
  },
  {
    name: 'a list by status shows all statuses',
    edits: [edit('selection.statuses.length > 0 ? selection.statuses : STATUSES', 'STATUSES')],
  },
  {
    name: 'a claim is not found by metadata',
    edits: [
      edit(
        'SELECT placed.* FROM placed JOIN inserted USING (id, position)',
        'SELECT placed.* FROM placed JOIN inserted USING (id, position) WHERE pairs IS NULL',
      ),
    ],
  },
  {
    name: 'a change of metadata removes keys that it does not name',
    edits: [edit('{ ...metadata, ...change }', '{ ...change }')],
  },
  {
    name: 'a change of a customer does not change its metadata',
    edits: [
      edit('SET name = $3, metadata = $4::jsonb', 'SET name = $3, metadata = coalesce(metadata, $4::jsonb)'),
    ],
  },
  {
    name: 'a total counts only OPEN records',
    edits: [edit("join(' AND ') || 'true'", "join(' AND ') || \"status = 'OPEN'\"")],
  },
  {
    name: 'a list by price omits records at the lower bound',
    edits: [edit("'price', '>=', price?.from", "'price', '>', price?.from")],
  },
  {
    name: 'a list ordered by time skips the records with the time of the cursor',
    edits: [edit('if (after.position === null) return', 'if (time) return')],
  },
  {
    name: 'a log is shown in the order of ids',
    edits: [
      edit('ORDER BY e.seq) FROM', 'ORDER BY e.id) FROM'),
      edit("ORDER BY e.seq), '[]')", "ORDER BY e.id), '[]')"),
    ],
  },
  {
    name: 'a page of a long log omits its first event',
    edits: [
      edit('e.seq > $2 AND', 'e.seq > $2 + 1 AND'),
      edit('export const LOG_PAGE_SIZE = 128', 'export const LOG_PAGE_SIZE = 16'),
      edit('events: 32', 'events: 4'),
    ],
  },
]
