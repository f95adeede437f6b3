import { OperatorError } from '../../../kernel/operator-error.ts'
import { MIGRATIONS } from '../advisory-locks.ts'
import type { PooledConnection } from '../pool/pooled-connection.ts'
import { hasCitus } from './read-distribution.ts'

/**
 * Distributes the tables by Citus: claims by their ids, what is left of archived ones likewise, each log and each notification with its claim, and a copy of the contracts on every
 * machine. All else stays on the coordinator: it does not grow with the events. In one transaction; if it was done
 * already, only machines that have come since get their settings. Claims that are there are copied, so that it takes its
 * time, and nothing is written meanwhile.
 * @throws OperatorError without the extension, or if contracts still stand in the claims' rows
 */
export async function distribute(
  db: Pick<PooledConnection, 'transaction'>,
  report: (step: string) => void,
): Promise<void> {
  await db.transaction(async (connection) => {
    if (!(await hasCitus(connection))) {
      throw new OperatorError(
        'The tables cannot be distributed: the database has no Citus. Install it on all machines, CREATE EXTENSION citus in this database on each, and add the others by citus_add_node.',
      )
    }
    await connection.query({ text: `SELECT pg_advisory_xact_lock(${MIGRATIONS})` })
    const [found] = await connection.query<{ isDistributed: boolean; isMoved: boolean }>({
      text: `SELECT EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = 'claims'::regclass) AS "isDistributed",
        (SELECT is_done FROM contract_moves) AS "isMoved"`,
    })
    if (found?.isDistributed) return
    if (!found?.isMoved) {
      throw new OperatorError(
        'The tables cannot be distributed yet: the contracts of older claims are still being moved into a table of their own. Run the service until its log says that this is done.',
      )
    }
    report('Distributing the tables: contracts, claims, events, notifications')
    for (const text of STEPS) await connection.query({ text })
  })
  await setPlanners(db, report)
}

/**
 * The same as in `POOL_SETTINGS`, which apply only on the coordinator; Citus propagates settings of a database. So rows of
 * several claims are locked in the order of their ids on every machine. Without it statements may lock each other out, and
 * are tried again after a second: whoever may not set it is told so.
 */
async function setPlanners(
  db: Pick<PooledConnection, 'transaction'>,
  report: (step: string) => void,
): Promise<void> {
  try {
    await db.transaction((connection) => connection.query({ text: SET_PLANNERS }))
  } catch (error) {
    report(`The planner of all machines could not be set: ${(error as Error).message}`)
  }
}

const SET_PLANNERS = `DO $$
  BEGIN
    EXECUTE format('ALTER DATABASE %I SET enable_seqscan = off', current_database());
    EXECUTE format('ALTER DATABASE %I SET enable_bitmapscan = off', current_database());
  END
$$`

const STEPS = [
  // Servers of an older version, for which it is, cannot run on distributed tables.
  'DROP TRIGGER price_given ON claims',
  "SELECT create_reference_table('contracts')",
  "SELECT create_distributed_table('claims', 'id')",
  "SELECT create_distributed_table('claim_events', 'claim_id', colocate_with => 'claims')",
  "SELECT create_distributed_table('claim_metadata', 'claim_id', colocate_with => 'claims')",
  "SELECT create_distributed_table('notifications', 'subject_id', colocate_with => 'claims')",
  "SELECT create_distributed_table('archived_claims', 'id', colocate_with => 'claims')",
  "SELECT create_distributed_function('duration_class(interval)')",
  // That of the version before as well: its servers run on these tables too.
  ...['in_shard', 'in_shards'].map(
    (name) =>
      `SELECT create_distributed_function('${name}'::regproc::oid::regprocedure, 'claim', colocate_with => 'claims', force_delegation => true)`,
  ),
]
