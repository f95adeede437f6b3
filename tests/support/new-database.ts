import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { nodesOfRun, onEachNode, urlOfDatabase } from './database-nodes.ts'
import { dropDatabase } from './drop-database.ts'
import type { Scope } from './test-database.ts'

/** Creates an empty database with these options of CREATE DATABASE. It is dropped when the scope ends. Returns its URL. */
export async function newDatabase(t: Scope, options: string): Promise<string> {
  const nodes = nodesOfRun()
  const [server] = nodes
  const run = process.env.CLAIMKEEPER_TEST_RUN
  assert.ok(server && run, 'run the tests with `npm test`: it starts their database')
  const name = `claimkeeper_test_${run}_${randomBytes(6).toString('hex')}`
  await onEachNode(nodes, (client) => client.query(`CREATE DATABASE ${name} ${options}`))
  t.after(() => onEachNode(nodes, (client) => dropDatabase(client, name)))
  return urlOfDatabase(server, name)
}
