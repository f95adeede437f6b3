import { OperatorError } from '../../../kernel/operator-error.ts'
import { MIGRATIONS } from '../advisory-locks.ts'
import type { PooledConnection } from '../pool/pooled-connection.ts'
import { hasCitus } from './read-distribution.ts'

/**
 * Distributes the tables by Citus, in one transaction. Claims and records of archived claims are distributed by their ids, logs and
 * notifications with their claims. Each node has a copy of the contracts. Other tables stay on the coordinator: they do not grow with
 * the events. Existing claims are copied, and writes wait meanwhile. If the tables are already distributed, only nodes that were
 * added since get their settings.
 * @throws OperatorError without the extension, or if contracts are still in the rows of claims
 */
export async function distribute(
  db: Pick<PooledConnection, 'transaction'>,
  report: (step: string) => void,
): Promise<void> {
  await db.transaction(async (connection) => {
    if (!(await hasCitus(connection))) {
      throw new OperatorError(
        'The tables cannot be distributed: the database has no Citus. Install Citus on all nodes, run CREATE EXTENSION citus in this database on each, and add the other nodes by citus_add_node.',
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
        'The tables cannot be distributed yet: the contracts of older claims are still being moved to another table. Run the service until its log reports the end of the move.',
      )
    }
    report('Distributing the tables: contracts, claims, events, notifications')
    for (const text of STEPS) await connection.query({ text })
  })
  await setPlanners(db, report)
}

/**
 * Sets the planner settings of `POOL_SETTINGS`, which apply only on the coordinator, on all nodes: Citus propagates settings of a
 * database. So each node locks rows of several claims in the order of their ids. Without the settings, statements may deadlock and
 * are retried after a second, so a missing privilege is only reported.
 */
async function setPlanners(
  db: Pick<PooledConnection, 'transaction'>,
  report: (step: string) => void,
): Promise<void> {
  try {
    await db.transaction((connection) => connection.query({ text: SET_PLANNERS }))
  } catch (error) {
    report(`The planner settings of the nodes could not be set: ${(error as Error).message}`)
  }
}

const SET_PLANNERS = `DO $$
  BEGIN
    EXECUTE format('ALTER DATABASE %I SET enable_seqscan = off', current_database());
    EXECUTE format('ALTER DATABASE %I SET enable_bitmapscan = off', current_database());
  END
$$`

const STEPS = [
  // The trigger is for servers of an older version, which cannot run on distributed tables.
  'DROP TRIGGER price_given ON claims',
  "SELECT create_reference_table('contracts')",
  "SELECT create_distributed_table('claims', 'id')",
  "SELECT create_distributed_table('claim_events', 'claim_id', colocate_with => 'claims')",
  "SELECT create_distributed_table('claim_metadata', 'claim_id', colocate_with => 'claims')",
  "SELECT create_distributed_table('notifications', 'subject_id', colocate_with => 'claims')",
  "SELECT create_distributed_table('archived_claims', 'id', colocate_with => 'claims')",
  "SELECT create_distributed_function('duration_class(interval)')",
  // in_shard is for servers of the previous version, which run on these tables too.
  ...['in_shard', 'in_shards'].map(
    (name) =>
      `SELECT create_distributed_function('${name}'::regproc::oid::regprocedure, 'claim', colocate_with => 'claims', force_delegation => true)`,
  ),
]
