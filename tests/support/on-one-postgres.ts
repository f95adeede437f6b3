import { test } from 'node:test'
import { isOnCitus } from './database-nodes.ts'

/** Tests of how PostgreSQL itself goes about a statement: on Citus each machine plans a part of it. */
export async function onOnePostgres(what: string, load: () => Promise<unknown>): Promise<void> {
  if (isOnCitus()) test(what, { skip: 'Citus plans statements over several machines in its own way' })
  else await load()
}
