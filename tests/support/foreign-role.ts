import type { PostgresNode } from './postgres-node.ts'

/** A role as which services are run (`test-service.ts`); it may do with the tables what their owner may. */
export const FOREIGN_ROLE = 'foreign_defaults'

/** What the service refuses, and what is of one transaction. */
const KEPT = /^(default_transaction_read_only|transaction_(deferrable|isolation|read_only))$/
/** Of those that are neither on nor off, nor one of a list. */
const TEXTS: Record<string, string> = {
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

/** Makes the role, for which each setting that a client can have is another than by default. Returns how many. */
export async function createForeignRole(node: PostgresNode): Promise<number> {
  await node.sql(`CREATE ROLE ${FOREIGN_ROLE} LOGIN; GRANT postgres TO ${FOREIGN_ROLE}`)
  const settings = (await node.sql(
    "SELECT name, vartype, boot_val, enumvals FROM pg_settings WHERE context = 'user' ORDER BY name",
  )) as { name: string; vartype: string; boot_val: string; enumvals: string[] | null }[]
  const values = settings.flatMap(({ name, vartype, boot_val, enumvals }) => {
    if (KEPT.test(name)) return []
    const value =
      TEXTS[name] ??
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
