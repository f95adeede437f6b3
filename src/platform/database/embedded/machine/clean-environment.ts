/** Nothing of the caller's PG*, LC_* or loader settings may reach PostgreSQL. */
export function cleanEnvironment(): Record<string, string> {
  return { LC_ALL: 'C', PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' }
}
