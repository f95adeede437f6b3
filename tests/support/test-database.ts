import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { dropDatabase } from './drop-database.ts'

/** What a resource belongs to: a test (`t`), or a whole file (`{ after }` of node:test). */
export interface Scope {
  after: (release: () => Promise<void>) => void
}

/** A database of its own for a test or a file, migrated; dropped when its scope ends. Returns its URL. */
export async function createTestDatabase(t: Scope, options = { migrated: true }): Promise<string> {
  const server = process.env.CLAIMKEEPER_TEST_SERVER
  const run = process.env.CLAIMKEEPER_TEST_RUN
  assert.ok(server && run, 'run the tests with `npm test`: it starts their database')

  const name = `claimkeeper_test_${run}_${randomBytes(6).toString('hex')}`
  const template = options.migrated ? `claimkeeper_test_${run}_template` : 'template1'
  await onServer(server, (client) => client.query(`CREATE DATABASE ${name} TEMPLATE ${template}`))
  t.after(() => onServer(server, (client) => dropDatabase(client, name)))

  const url = new URL(server)
  url.pathname = `/${name}`
  return url.href
}

async function onServer(url: string, work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await work(client)
  } finally {
    await client.end()
  }
}
