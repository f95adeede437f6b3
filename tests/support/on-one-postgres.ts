import { test } from 'node:test'
import { isOnCitus } from './database-nodes.ts'

/** For tests of PostgreSQL's plans: on Citus each node plans a part of a statement. */
export async function onOnePostgres(what: string, load: () => Promise<unknown>): Promise<void> {
  if (isOnCitus()) test(what, { skip: 'Citus plans statements in a different way' })
  else await load()
}
