import type pg from 'pg'
import { hasVersionColumns } from './migrate/own-tables.ts'

/*
 * Settings of the service's sessions. A server, a role, a database or an address may have other defaults; the meaning of
 * values and statements must not depend on them. They are sent as statements after the connection is made, because poolers
 * refuse or drop settings in the startup message. Settings that a session cannot change are refused at the start
 * (`require-settings.ts`). Settings of speed, memory, logging and storage keep their defaults.
 */

/** They affect how values are read and written, and what a statement does. */
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
  // Citus reports by a warning that a commit has lost a machine.
  client_min_messages: 'notice',
  lock_timeout: '0',
  idle_session_timeout: '0',
}

export const CONNECT_TIMEOUT_MS = 5_000

/** Limits `search_path` to the schema of the tables, so that a table of the same name in another schema is not found first. */
const SET_SCHEMA = `SELECT set_config('search_path', relnamespace::regnamespace::text, false) FROM pg_class
  WHERE oid = to_regclass('claim_events')`

/**
 * If the default of a role, a database or a server finds no tables, `search_path` is the one schema that has them. Where
 * there are none yet, or an address names the schema, `search_path` stays, and the first migration makes them there. A
 * table `claim_events` of another program has no version table of Claimkeeper beside it.
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

export interface SessionTimeouts {
  /** Of a statement; 0 for none. */
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
  const ofSchema = results.at(-1)
  if (ofSchema?.rows.length === 0) await send(client, SEARCH_SCHEMA)
}

/** The driver's types do not know that several statements have several results. */
async function send(client: pg.ClientBase, text: string): Promise<pg.QueryResult[]> {
  const config = { text, query_timeout: CONNECT_TIMEOUT_MS }
  return [await client.query(config)].flat()
}

/**
 * Settings that only pool connections have. They make each statement use an index, in the index's order. Otherwise the planner would
 * choose other plans for a table that is still small or not analysed. Rows of several ids are locked in the order of the
 * ids; in a bitmap's order, that of the table, two statements could deadlock. Before PostgreSQL
 * 18, the cost of disabled plan types would also start JIT compilation.
 *
 * Plans are generic: they do not depend on values. Planning costs as much as executing a small group, so each connection plans
 * a statement once. Not with Citus, which finds the machines of a statement by its values.
 *
 * What a statement pushes out of PostgreSQL's memory goes to the disk soon: the kernel would gather a check's pages for
 * half a minute and then write them all, while every commit waits to be synced.
 *
 * A commit is on the disk before it is acknowledged, whatever a role or a database says since the start; what asks for
 * more than `on` keeps it.
 *
 * The last two are for Citus, and mean nothing without: a transaction over several shards has one connection to each
 * machine, so that it sees what it has written; and settings of a transaction hold on all of them.
 */
export const POOL_SETTINGS = `SET enable_seqscan = off; SET enable_bitmapscan = off; SET jit = off;
  SET enable_indexscan = on; SET enable_indexonlyscan = on; SET enable_nestloop = on;
  SELECT set_config('plan_cache_mode', CASE WHEN to_regclass('pg_dist_partition') IS NULL
    THEN 'force_generic_plan' ELSE 'auto' END, false);
  SET backend_flush_after = '256kB';
  SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off';
  SET citus.multi_shard_modify_mode = 'sequential'; SET citus.propagate_set_commands = 'local'`
