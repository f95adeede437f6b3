import { edit, editWithin, type Mutant } from './mutant.ts'

/** What notifications tell, and in what order. */
export const OF_FEED: readonly Mutant[] = [
  {
    name: 'numbers of notifications are taken without a word',
    edits: [edit('count(pg_advisory_xact_lock_shared(key)) AS held', 'count(key) AS held')],
    faults: 'commits-linger',
    clients: 32,
    accounts: 2,
  },
  {
    name: 'who reads notifications looks at numbers that are still on their way',
    edits: [edit('last - by < lowest ? last - by : lowest', 'last - by < lowest ? lowest : last')],
    faults: 'commits-linger',
    clients: 32,
    accounts: 2,
  },
  {
    name: 'that a claim was settled is told to nobody',
    edits: [
      edit(
        'FROM written, announced WHERE status IS NOT NULL',
        "FROM written, announced WHERE status IN ('CONFIRMED', 'FAILED')",
      ),
    ],
  },
  {
    name: 'a notification is written of a claim that somebody else has changed',
    edits: [
      edit('FROM written, announced', 'FROM decided_of, announced'),
      editWithin(
        'guardedWrite',
        '      notified AS (',
        '      decided_of AS (SELECT c.user_id, d.* FROM decided d JOIN claims c ON c.id = d.id),\n      notified AS (',
      ),
    ],
  },
  {
    name: 'the last notification of a page comes again on the next',
    edits: [edit("order === 'asc' ? '>' : '<', after", "order === 'asc' ? '>=' : '<', after")],
  },
  {
    name: 'of several events recorded together only the first has a notification',
    edits: [
      edit(
        'JOIN claims c ON c.id = w.id, announced',
        'JOIN claims c ON c.id = w.id AND e.seq = c.event_count + 1, announced',
      ),
    ],
  },
]
