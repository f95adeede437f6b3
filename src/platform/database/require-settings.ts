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

export const inWords = ({ name, value, effect }: RefusedSetting): string =>
  `${name} = ${value === '' ? "''" : value} (${effect})`

/** @throws OperatorError */
export async function requireSettings(db: Pick<Connection, 'query'>): Promise<void> {
  const refused = await readRefusedSettings(db)
  if (refused.length === 0) return
  throw new OperatorError(
    `Claimkeeper cannot work with these settings of its session: ${refused.map(inWords).join(', ')}. To undo: ${refused.map(({ advice }) => advice).join('; ')}.`,
  )
}
