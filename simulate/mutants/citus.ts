import { edit, editWithin, type Mutant } from './mutant.ts'

/** What only distributed tables do: planted where there is a Citus. */
const PLANTED: readonly Mutant[] = [
  {
    name: 'on shards an event is appended without the guard',
    edits: [
      editWithin(
        'shardWrite',
        'c.status = d.seen_status AND c.event_count = d.seen',
        'c.status = d.seen_status',
      ),
    ],
  },
  {
    name: 'on shards the log gets items of claims that were not written',
    edits: [edit('JOIN written w ON w.id = e.claim_id ) SELECT id FROM written', ') SELECT id FROM written')],
  },
  {
    name: 'a write that a machine commits by itself is taken for none',
    faults: 'shard-write-struck',
    edits: [
      edit('unavailable && isCommit ? commitFailed(error) : unavailable', 'unavailable'),
      edit(
        'asDatabaseUnavailable(error, readOnly === true)',
        'asDatabaseUnavailable(error, readOnly === true || commitsElsewhere === true)',
      ),
    ],
  },
  {
    name: 'a machine does not say that it has notifications on their way',
    faults: 'shard-commit-cut',
    edits: [
      edit(
        'const onNodes = isOn ? await readAnnouncementsOnNodes(db, userId) : []',
        'const onNodes: string[] = isOn && userId === "" ? await readAnnouncementsOnNodes(db, userId) : []',
      ),
    ],
  },
  {
    name: 'a claim is decided though its contract is missing on its machine',
    faults: 'shard-commit-cut',
    edits: [
      edit('is_in_doubt: row.contract_bytes === null', 'is_in_doubt: row.contract_bytes === -1'),
      editWithin(
        'toWholeClaim',
        'if (row.contract === null) throw contractIsMissing()',
        'if (row.contract === undefined) throw contractIsMissing()',
      ),
    ],
  },
  {
    name: 'a machine that is lost is taken for a fault of the statement',
    faults: 'shard-node-cut,shard-commit-cut',
    edits: [edit("error.severity === 'PANIC' ||", "error.severity === 'PANIC' &&")],
  },
]

export const OF_SHARDS: readonly Mutant[] = PLANTED.map((mutant) => ({ ...mutant, onCitus: true }))
