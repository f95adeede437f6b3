import type { PostgresNode } from './postgres-node.ts'

/** The role of services under `npm run test:databases` (`test-service.ts`). It has the rights of the owner of the tables. */
export const FOREIGN_ROLE = 'foreign_defaults'

/** Settings that the service refuses, and settings of a single transaction. */
const UNCHANGED = /^(default_transaction_read_only|transaction_(deferrable|isolation|read_only))$/
/** Values of settings that are neither booleans nor enumerations. */
const VALUES: Record<string, string> = {
  DateStyle: 'German, DMY',
  TimeZone: 'America/St_Johns',
  search_path: 'no_such_schema',
  extra_float_digits: '-15',
  statement_timeout: '1s',
  lock_timeout: '1s',
  idle_session_timeout: '1s',
  idle_in_transaction_session_timeout: '1s',
  transaction_timeout: '1s',
  client_encoding: 'LATIN1',
  work_mem: '64kB',
  max_parallel_workers_per_gather: '0',
  timezone_abbreviations: 'India',
}

/** Creates the role with a non-default value for each setting of a session. Returns the number of settings. */
export async function createForeignRole(node: PostgresNode): Promise<number> {
  await node.sql(`CREATE ROLE ${FOREIGN_ROLE} LOGIN; GRANT postgres TO ${FOREIGN_ROLE}`)
  const settings = (await node.sql(
    "SELECT name, vartype, boot_val, enumvals FROM pg_settings WHERE context = 'user' ORDER BY name",
  )) as { name: string; vartype: string; boot_val: string; enumvals: string[] | null }[]
  const values = settings.flatMap(({ name, vartype, boot_val, enumvals }) => {
    if (UNCHANGED.test(name)) return []
    const value =
      VALUES[name] ??
      (vartype === 'bool'
        ? boot_val === 'on'
          ? 'off'
          : 'on'
        : enumvals?.findLast((one) => one !== boot_val))
    return value === undefined ? [] : [`ALTER ROLE ${FOREIGN_ROLE} SET "${name}" = '${value}'`]
  })
  await node.sql(values.join('; '))
  return values.length
}
