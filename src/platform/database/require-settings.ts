import { OperatorError } from '../../kernel/operator-error.ts'
import type { Connection } from './connection.ts'

/** Effects of settings that a session of the service cannot or must not change. */
const EFFECTS: Readonly<Record<string, string>> = {
  default_transaction_read_only: 'no transaction may write',
  session_replication_role: 'triggers and foreign keys are disabled',
  search_path: 'no schema of this name exists',
}

export interface RefusedSetting {
  name: string
  value: string
  effect: string
  /** How to undo it. */
  advice: string
}

/** Settings that prevent the service from working and that it does not override. */
export async function readRefusedSettings(db: Pick<Connection, 'query'>): Promise<RefusedSetting[]> {
  const rows = await db.query<{
    name: string
    value: string
    source: string
    role: string
    database: string
  }>({
    text: `-- read_refused_settings
      SELECT name, setting AS value, source, quote_ident(session_user) AS role,
        quote_ident(current_database()) AS database
      FROM pg_settings
      WHERE name = 'default_transaction_read_only' AND setting = 'on'
        OR name = 'session_replication_role' AND setting = 'replica'
        OR name = 'search_path' AND current_schema() IS NULL
      ORDER BY name COLLATE "C"`,
    readOnly: true,
  })
  return rows.map(({ name, value, source, role, database }) => ({
    name,
    value,
    effect: EFFECTS[name] as string,
    advice: adviceFor(name, source, role, database),
  }))
}

function adviceFor(name: string, source: string, role: string, database: string): string {
  // ALTER ROLE and ALTER DATABASE are writes, which the setting refuses.
  const first = name === 'default_transaction_read_only' ? `SET ${name} = off; ` : ''
  switch (source) {
    case 'user':
      return `${first}ALTER ROLE ${role} RESET ${name}`
    case 'database':
      return `${first}ALTER DATABASE ${database} RESET ${name}`
    case 'database user':
      return `${first}ALTER ROLE ${role} IN DATABASE ${database} RESET ${name}`
    case 'client':
      return `remove ${name} from the options of DATABASE_URL and from PGOPTIONS`
    default:
      return `reset ${name} in postgresql.conf, or with ALTER SYSTEM RESET ${name}`
  }
}

export const describeSetting = ({ name, value, effect }: RefusedSetting): string =>
  `${name} = ${value === '' ? "''" : value} (${effect})`

/** @throws OperatorError */
export async function requireSettings(db: Pick<Connection, 'query'>): Promise<void> {
  const refused = await readRefusedSettings(db)
  if (refused.length === 0) return
  throw new OperatorError(
    `Claimkeeper cannot work with these settings of its session: ${refused.map(describeSetting).join(', ')}. To undo: ${refused.map(({ advice }) => advice).join('; ')}.`,
  )
}

/**
 * Settings that each worker of a cluster must have by itself: Citus passes `client_encoding` on to its connections, but no other
 * setting of a session. Other settings of `SESSION_SETTINGS` change nothing there: Citus sends times, numbers and bytes in
 * forms that do not depend on them.
 */
const WORKER_SETTINGS: Readonly<Record<string, string>> = {
  // "off" stores the text NULL for a null in a list of parameters.
  array_nulls: 'on',
  standard_conforming_strings: 'on',
  default_transaction_isolation: 'read committed',
  default_transaction_read_only: 'off',
  exit_on_error: 'off',
  lock_timeout: '0',
  idle_session_timeout: '0',
}

const WRONG_WORKER_SETTINGS = `
  SELECT coalesce(string_agg(name || ' = ' || setting, ', ' ORDER BY name), '') FROM pg_settings
  WHERE ${Object.entries(WORKER_SETTINGS)
    .map(([name, value]) => `name = '${name}' AND setting <> '${value}'`)
    .join(' OR ')}`

/** Workers that cannot be reached are passed over. @throws OperatorError */
export async function requireWorkerSettings(db: Pick<Connection, 'query'>): Promise<void> {
  const [worker] = await db.query<{ host: string; wrong: string; role: string; database: string }>({
    text: `-- read_refused_settings_of_workers
      SELECT nodename || ':' || nodeport AS host, result AS wrong, quote_ident(session_user) AS role,
        quote_ident(current_database()) AS database
      FROM run_command_on_workers($1) WHERE success AND result <> '' ORDER BY host`,
    values: [WRONG_WORKER_SETTINGS],
    readOnly: true,
  })
  if (!worker) return
  const { host, wrong, role, database } = worker
  const undo = Object.entries(WORKER_SETTINGS)
    .filter(([name]) => wrong.includes(`${name} = `))
    .map(([name, value]) => `ALTER ROLE ${role} IN DATABASE ${database} SET ${name} = '${value}'`)
  throw new OperatorError(
    `The node ${host} has settings with which Claimkeeper does not work: ${wrong}. Set them on the coordinator, which passes them on: ${undo.join('; ')}.`,
  )
}

/** What may happen to acknowledged events in a power failure or a crash if the setting is off. */
const RISKS: Record<string, string> = {
  fsync: 'acknowledged data may not be on the disk',
  full_page_writes: 'partly written pages cannot be repaired',
  synchronous_commit: 'the last acknowledged data is lost in a crash',
}

/**
 * Settings that are off and whose absence may lose acknowledged data. `reset_val` is the value of the server, role, database and
 * address, without the changes of the session.
 */
export async function readUnsafeSettings(db: Connection): Promise<string[]> {
  const rows = await db.query<{ name: string }>({
    text: `-- read_unsafe_settings
      SELECT name FROM pg_settings WHERE name = ANY ($1) AND reset_val = 'off' ORDER BY name`,
    values: [Object.keys(RISKS)],
    readOnly: true,
  })
  return rows.map(({ name }) => name)
}

/** @throws OperatorError if the server may lose acknowledged data */
export async function requireDurable(db: Connection): Promise<void> {
  const names = await readUnsafeSettings(db)
  if (names.length > 0) throw notDurable('The database', names)
}

/**
 * The same for the nodes of Citus: an event is acknowledged once its own node has committed it.
 * @throws OperatorError
 */
export async function requireDurableNodes(db: Connection): Promise<void> {
  const nodes = await db.query<{ host: string; names: string }>({
    text: `-- read_unsafe_settings_of_machines
      SELECT nodename || ':' || nodeport AS host, result AS names FROM run_command_on_all_nodes($1)
      JOIN pg_dist_node USING (nodeid) WHERE success AND result <> ''`,
    values: [
      `SELECT coalesce(string_agg(name, ',' ORDER BY name), '') FROM pg_settings
       WHERE name IN (${Object.keys(RISKS)
         .map((name) => `'${name}'`)
         .join(', ')}) AND reset_val = 'off'`,
    ],
    readOnly: true,
  })
  const [first] = nodes
  if (first) throw notDurable(`The node ${first.host}`, first.names.split(','))
}

function notDurable(what: string, names: readonly string[]): OperatorError {
  const found = names.map((name) => `${name} = off (${RISKS[name]})`).join(', ')
  return new OperatorError(
    `${what} may lose acknowledged data: ${found}. Set ${names.map((name) => `${name} = on`).join(', ')} in postgresql.conf, or where ALTER SYSTEM, ROLE or DATABASE changed it; or set CLAIMKEEPER_ALLOW_UNSAFE_DATABASE=true if its storage makes that safe, or if losing data does not matter.`,
  )
}
