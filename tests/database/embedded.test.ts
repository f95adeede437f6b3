import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import {
  isRunning,
  madeDataDir,
  newDataDir,
  oneLine,
  openHere,
  postmasterPid,
  queryOn,
} from '../support/embedded-data-folder.ts'

/* The slow suite has the first start, several processes, and what is killed or silent. */

test('a data folder keeps its data, is used by one service at a time, and has no server after the last release', async (t) => {
  const dataDir = await madeDataDir(t)
  const first = await openHere(dataDir, 'service')
  await queryOn(first.connectionString, 'CREATE TABLE kept AS SELECT 7 AS value')
  await assert.rejects(openHere(dataDir, 'service'), oneLine(/Another Claimkeeper service already uses/))
  assert.deepEqual(await queryOn(first.connectionString, 'SELECT 1 AS one'), [{ one: 1 }])
  const pid = await postmasterPid(dataDir)
  await Promise.all([first.release(), first.release()])
  assert.equal(await isRunning(pid), false)

  const second = await openHere(dataDir)
  t.after(() => second.release())
  assert.deepEqual(await queryOn(second.connectionString, 'SELECT value FROM kept'), [{ value: 7 }])
  for (const statement of [
    'ALTER ROLE claimkeeper SUPERUSER',
    'CREATE ROLE other SUPERUSER',
    'GRANT pg_execute_server_program TO claimkeeper',
    'SET ROLE postgres',
    "COPY (SELECT 1) TO PROGRAM 'id'",
    "SELECT pg_read_file('/etc/passwd')",
  ])
    await assert.rejects(queryOn(second.connectionString, statement), /permission denied/, statement)
})

test('a data folder that cannot be used is refused in one line', async (t) => {
  const dataDir = await newDataDir(t)
  await writeFile(dataDir, 'a file')
  await assert.rejects(openHere(dataDir), oneLine(/Cannot use the data folder .*CLAIMKEEPER_DATA_DIR/))
  await assert.rejects(openHere(join(dataDir, 'below')), oneLine(/Cannot use the data folder/))
})
