import { OperatorError } from '../../operator-error.ts'
import type { Connection } from './connection.ts'

/** What each takes from an acknowledged event, in a power failure or a crash of the machine. */
const RISKS: Record<string, string> = {
  fsync: 'what was acknowledged may never have reached the disk',
  full_page_writes: 'pages that were being written may be torn beyond repair',
  synchronous_commit: 'what was acknowledged last is lost in a crash',
}

/**
 * Refuses a server that acknowledges what it may lose. `reset_val` is what the server, the role, the database and the
 * address say together, whatever our own connections have set since.
 * @throws OperatorError
 */
export async function requireDurable(db: Connection): Promise<void> {
  const rows = await db.query<{ name: string }>({
    text: `-- read_unsafe_settings
      SELECT name FROM pg_settings WHERE name = ANY ($1) AND reset_val = 'off' ORDER BY name`,
    values: [Object.keys(RISKS)],
    readOnly: true,
  })
  if (rows.length === 0) return
  const found = rows.map(({ name }) => `${name} = off (${RISKS[name]})`).join(', ')
  throw new OperatorError(
    `The database does not keep what it acknowledges: ${found}. Set ${rows.map(({ name }) => `${name} = on`).join(', ')} in postgresql.conf, or where ALTER SYSTEM, ROLE or DATABASE changed it; or set CLAIMKEEPER_ALLOW_UNSAFE_DATABASE=true if its storage makes that safe, or if losing data does not matter.`,
  )
}
