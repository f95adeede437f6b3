import { edit, editWithin, type Mutant } from './mutant.ts'

/** Notifications and their numbers. */
export const NOTIFICATION_MUTANTS: readonly Mutant[] = [
  {
    name: 'notification numbers are taken without a lock',
    edits: [edit('count(pg_advisory_xact_lock_shared(key)) AS held', 'count(key) AS held')],
    faults: 'commits-linger',
    clients: 32,
    accounts: 2,
  },
  {
    name: 'the feed reads past uncommitted notification numbers',
    edits: [edit('last - by < lowest ? last - by : lowest', 'last - by < lowest ? lowest : last')],
    faults: 'commits-linger',
    clients: 32,
    accounts: 2,
  },
  {
    name: 'a satisfied condition has no notification',
    edits: [
      edit(
        'FROM written, announced WHERE status IS NOT NULL',
        "FROM written, announced WHERE status IN ('CONFIRMED', 'FAILED')",
      ),
    ],
  },
  {
    name: 'a notification is stored although the guarded write failed',
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
    name: 'the last notification of a page is repeated on the next page',
    edits: [edit("order === 'asc' ? '>' : '<', after", "order === 'asc' ? '>=' : '<', after")],
  },
  {
    name: 'only the first of several events in one write has a notification',
    edits: [
      edit(
        'JOIN claims c ON c.id = w.id, announced',
        'JOIN claims c ON c.id = w.id AND e.seq = c.event_count + 1, announced',
      ),
    ],
  },
]
