import { edit, editWithin, type Mutant } from './mutant.ts'

/** Distributed tables. They run only on Citus. */
const ON_CITUS: readonly Mutant[] = [
  {
    name: 'an event is appended to a shard without the guard',
    edits: [
      editWithin(
        'shardWrite',
        'c.status = d.seen_status AND c.event_count = d.seen',
        'c.status = d.seen_status',
      ),
    ],
  },
  {
    name: 'events are inserted into a shard for claims that were not updated',
    edits: [edit('JOIN written w ON w.id = e.claim_id ) SELECT id FROM written', ') SELECT id FROM written')],
  },
  {
    name: 'a failed write that one node commits separately is treated as not applied',
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
    name: 'a node does not announce its uncommitted notifications',
    faults: 'shard-commit-cut',
    edits: [
      edit(
        'const onNodes = isOn ? await readAnnouncementsOnNodes(db, userId) : []',
        'const onNodes: string[] = isOn && userId === "" ? await readAnnouncementsOnNodes(db, userId) : []',
      ),
    ],
  },
  {
    name: 'a claim is decided although its contract is missing on its node',
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
    name: 'the loss of a node is reported as an error of the statement',
    faults: 'shard-node-cut,shard-commit-cut',
    edits: [edit("error.severity === 'PANIC' ||", "error.severity === 'PANIC' &&")],
  },
]

export const CITUS_MUTANTS: readonly Mutant[] = ON_CITUS.map((mutant) => ({ ...mutant, onCitus: true }))
