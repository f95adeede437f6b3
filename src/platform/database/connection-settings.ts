import type pg from 'pg'
import { CONNECT_TIMEOUT_MS } from './limits.ts'
import { hasVersionColumns } from './migrate/own-tables.ts'

/*
 * Settings of the service's sessions. A server, a role, a database or an address may have other defaults; the meaning of
 * values and statements must not depend on them. They are sent as statements after the connection is made, because poolers
 * refuse or drop settings in the startup message. Settings that a session cannot change are refused at the start
 * (`require-settings.ts`). Settings of speed, memory, logging and storage keep their defaults.
 */

/** Settings that affect how values are read and written, and what statements do. */
export const SESSION_SETTINGS: Readonly<Record<string, string>> = {
  timezone: 'UTC',
  datestyle: 'ISO, MDY',
  intervalstyle: 'postgres',
  bytea_output: 'hex',
  extra_float_digits: '1',
  client_encoding: 'UTF8',
  array_nulls: 'on',
  quote_all_identifiers: 'off',
  standard_conforming_strings: 'on',
  transform_null_equals: 'off',
  default_transaction_isolation: 'read committed',
  default_transaction_deferrable: 'off',
  exit_on_error: 'off',
  // Citus reports by a warning that a commit did not reach a node.
  client_min_messages: 'notice',
  lock_timeout: '0',
  idle_session_timeout: '0',
}

/** Limits `search_path` to the schema of the tables, so that a table of the same name in another schema is not found first. */
const SET_SCHEMA = `SELECT set_config('search_path', relnamespace::regnamespace::text, false) FROM pg_class
  WHERE oid = to_regclass('claim_events')`

/**
 * If the default `search_path` finds no tables, sets it to the one schema that has them. It stays unchanged if there are no tables
 * yet, or if DATABASE_URL names a schema: then the first migration creates the tables there. A table `claim_events` of another
 * program is not beside a version table of Claimkeeper.
 */
const SEARCH_SCHEMA = `-- connection_settings
  SELECT set_config('search_path', min(relnamespace::regnamespace::text), false) FROM pg_class c
  WHERE relname = 'claim_events' AND relkind IN ('r', 'p') AND pg_has_role(relowner, 'USAGE')
    AND EXISTS (
      SELECT FROM pg_class v
      WHERE v.relname = 'schema_migrations' AND v.relnamespace = c.relnamespace AND ${hasVersionColumns('v.oid')}
    )
    AND (SELECT source <> 'client' FROM pg_settings WHERE name = 'search_path')
  HAVING count(*) = 1`

interface SessionTimeouts {
  /** The timeout of a statement; 0 for none. */
  statementMs: number
  /** How long a transaction may wait for its next statement; 0 for no limit. */
  idleTransactionMs: number
}

/** The timeouts come first. Otherwise a role's default timeouts would apply to the statements that follow. */
const sessionSettings = ({ statementMs, idleTransactionMs }: SessionTimeouts): string =>
  `SET statement_timeout = ${statementMs}; SET idle_in_transaction_session_timeout = ${idleTransactionMs};
  SELECT set_config('transaction_timeout', '0', false) WHERE current_setting('transaction_timeout', true) IS NOT NULL;
  ${Object.entries(SESSION_SETTINGS)
    .map(([name, value]) => `SET ${name} = '${value}'`)
    .join('; ')}`

/**
 * Sets up a session, in one round trip if its `search_path` finds the tables.
 * @param more SQL of settings
 */
export async function setUpSession(
  client: pg.ClientBase,
  timeouts: SessionTimeouts,
  more = '',
): Promise<void> {
  const all = [sessionSettings(timeouts), more, SET_SCHEMA].filter((text) => text !== '').join(';\n')
  const results = await send(client, `-- connection_settings\n${all}`)
  const schemaResult = results.at(-1)
  if (schemaResult?.rows.length === 0) await send(client, SEARCH_SCHEMA)
}

/** The driver's types omit that several statements return several results. */
async function send(client: pg.ClientBase, text: string): Promise<pg.QueryResult[]> {
  const config = { text, query_timeout: CONNECT_TIMEOUT_MS }
  return [await client.query(config)].flat()
}

/**
 * Settings of pool connections only.
 *
 * Each statement uses an index, in the index's order. Otherwise the planner would choose other plans for a small or unanalyzed
 * table. Rows of several ids are locked in the order of the ids: in a bitmap's order two statements could deadlock. JIT is off,
 * because before PostgreSQL 18 the cost of disabled plan types would start it.
 *
 * Plans are generic: planning costs as much as executing a small group, so each connection plans a statement once. Citus needs the
 * values to find the nodes of a statement.
 *
 * `backend_flush_after` writes evicted pages early. Otherwise the kernel would collect the pages of a check for 30 s and then write
 * them all at once, while commits wait for their sync.
 *
 * A commit is on the disk before it is acknowledged, even if a role or a database has changed the setting since the start. Stronger
 * values than `on` stay.
 *
 * The last two are for Citus: a transaction has one connection to each node, so that it reads its own writes, and settings of a
 * transaction apply on all nodes.
 */
export const POOL_SETTINGS = `SET enable_seqscan = off; SET enable_bitmapscan = off; SET jit = off;
  SET enable_indexscan = on; SET enable_indexonlyscan = on; SET enable_nestloop = on;
  SELECT set_config('plan_cache_mode', CASE WHEN to_regclass('pg_dist_partition') IS NULL
    THEN 'force_generic_plan' ELSE 'auto' END, false);
  SET backend_flush_after = '256kB';
  SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off';
  SET citus.multi_shard_modify_mode = 'sequential'; SET citus.propagate_set_commands = 'local'`
