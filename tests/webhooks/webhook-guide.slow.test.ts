import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { hashOf, NO_HASH } from '../support/source/webhooks.ts'
import { createTestDatabase } from '../support/test-database.ts'
import { guideBlock } from './guide-blocks.ts'
import {
  A,
  B,
  believesTheGoodOnly,
  C,
  changed,
  D,
  FOUR,
  findsWhatIsMissingOrChanged,
  renumbered,
} from './guide-cases.ts'
import { goPrograms, missingProgram, pythonPrograms, typescriptFolder } from './guide-programs.ts'

/* The guide to webhooks in languages whose programs are processes of their own. */

const noPython = missingProgram('python3', '--version')
const noGo = missingProgram('go', 'version')

test('the guide’s program in Python verifies deliveries', { skip: noPython }, (t) =>
  believesTheGoodOnly(pythonPrograms(t)),
)
test('the guide’s program in Go verifies deliveries', { skip: noGo }, (t) =>
  believesTheGoodOnly(goPrograms(t)),
)
test('the guide’s program in Python finds missing and changed deliveries', { skip: noPython }, (t) =>
  findsWhatIsMissingOrChanged(pythonPrograms(t)),
)

test('the guide’s SQL finds missing and changed deliveries', async (t) => {
  const connectionString = await createTestDatabase(t, { migrated: false })
  const client = new pg.Client({ connectionString })
  await client.connect()
  await client.query(guideBlock('sql', 'CREATE TABLE'))
  const found = async (bodies: string[]) => {
    const endpoint = randomUUID()
    const insert = (number: number, hash: string, previousHash: string) =>
      client.query('INSERT INTO deliveries VALUES ($1, $2, $3, $4)', [endpoint, number, hash, previousHash])
    await insert(0, NO_HASH, '')
    for (const body of bodies) {
      const { number, previous_hash } = JSON.parse(body).delivery
      await insert(number, hashOf(body), previous_hash)
    }
    const { rows } = await client.query(guideBlock('sql', 'SELECT'), [endpoint])
    return rows.map(({ number_before, number }) => [Number(number_before), Number(number)])
  }
  assert.deepEqual(await found(FOUR), [])
  assert.deepEqual(await found([D, B, A, C]), [])
  assert.deepEqual(await found([A, D]), [[1, 4]])
  assert.deepEqual(await found([B, C, D]), [[0, 2]])
  assert.deepEqual(await found([A, changed(B), C, D]), [[2, 3]])
  assert.deepEqual(await found([renumbered(B, 2, 1)]), [[0, 1]])
  await client.end()
})

test('the guide’s programs in TypeScript have types that fit', (t) => {
  const tsc = fileURLToPath(new URL('../../node_modules/typescript/bin/tsc', import.meta.url))
  const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2024', '--types', 'node']
  const { stdout, status } = spawnSync(
    process.execPath,
    [
      tsc,
      ...options,
      '--allowImportingTsExtensions',
      '--skipLibCheck',
      'verify.ts',
      'chain.ts',
      'receiver.ts',
    ],
    { cwd: typescriptFolder(t), encoding: 'utf8' },
  )
  assert.equal(status, 0, stdout)
})
