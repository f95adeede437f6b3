import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'

const PATIENCE_MS = 30_000
/**
 * FORCE does not end a worker of autovacuum that is in the database just then (the role is no superuser), and waits five
 * seconds for those that it has ended.
 */
const MAY_PASS = ['42501', '55006']

/** Drops the database, whoever is connected to it. */
export async function dropDatabase(client: pg.Client, name: string): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS
  for (;;) {
    try {
      await client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
      return
    } catch (error) {
      const mayPass = error instanceof pg.DatabaseError && MAY_PASS.includes(error.code ?? '')
      if (!mayPass || performance.now() > deadline) throw error
      await pause(20)
    }
  }
}
