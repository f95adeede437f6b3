import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { constants } from 'node:fs'
import { chmod, mkdir, mkdtemp, open, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { promisify } from 'node:util'
import { hasRunningDatabase, madeDataFolder, newDataFolder } from '../support/data-folder.ts'
import { eventually } from '../support/eventually.ts'
import { holdMigrations } from '../support/held-rows.ts'
import { runCli, runUntil, startServeProcess } from '../support/serve-process.ts'
import { runSharedCli } from '../support/shared-cli.ts'
import { mountSmallDisk } from '../support/small-disk.ts'
import { createTestDatabase } from '../support/test-database.ts'

describe('a start that cannot go on ends with a reason in one line', { concurrency: 2 }, () => {
  const refused = async (dataDir: string, reason: RegExp) => {
    const { status, stderr } = await runSharedCli(['serve'], { CLAIMKEEPER_DATA_DIR: dataDir })
    assert.equal(status, 1, stderr)
    assert.match(stderr, /^claimkeeper: [^\n]*\n$/)
    assert.match(stderr, reason)
  }

  test('where no folder can be made', async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'claimkeeper-start-'))
    t.after(() => rm(folder, { recursive: true }))
    await writeFile(join(folder, 'file'), '')
    for (const place of [
      '/proc/ck',
      '/dev/null/x',
      join(folder, 'file', 'x'),
      join(folder, 'x'.repeat(300)),
    ]) {
      await refused(place, /Cannot use the data folder .*CLAIMKEEPER_DATA_DIR/)
    }
  })

  test('where the disk is too small', async (t) => {
    const disk = await mountSmallDisk(t, 8)
    if (!disk) return t.skip('no disk can be mounted here')
    await refused(disk.dataDir, /The database could not be created in .*No space left/)
    assert.deepEqual(await readdir(disk.dataDir), [])
  })

  test('where PG_VERSION is no version', async (t) => {
    const dataDir = await newDataFolder(t)
    await mkdir(join(dataDir, 'postgres'), { recursive: true, mode: 0o700 })
    await writeFile(join(dataDir, 'postgres', 'PG_VERSION'), '\u0000\u001b[31m\u202e\nxx')
    await refused(dataDir, /created by PostgreSQL/)
  })
})

test('a data folder may have blanks, quotes and a long path', async (t) => {
  const folder = await newDataFolder(t)
  const CLAIMKEEPER_DATA_DIR = join(folder, `a 'b" $c`, 'x'.repeat(120))
  await mkdir(folder)
  await chmod(folder, 0o755)
  const served = await startServeProcess(t, { CLAIMKEEPER_DATA_DIR })
  assert.equal((await fetch(`${served.url}/readyz`)).status, 200)
  assert.equal(await served.end('SIGTERM'), 0)
})

describe('SIGTERM ends a start at once and leaves nothing running', { concurrency: 2 }, () => {
  for (const [step, dataFolder] of [
    ['Creating the database', newDataFolder],
    ['Starting PostgreSQL', madeDataFolder],
    ['Migrating the database', madeDataFolder],
    ['Creating the account', madeDataFolder],
  ] as const) {
    test(`at "${step}"`, async (t) => {
      const CLAIMKEEPER_DATA_DIR = await dataFolder(t)
      const { status, output } = await runUntil(step, 'SIGTERM', { CLAIMKEEPER_DATA_DIR })
      assert.equal(status, 0, output)
      assert.match(output, /Stopped\.\n$/)
      assert.equal(hasRunningDatabase(CLAIMKEEPER_DATA_DIR), false)
      const left = await readdir(CLAIMKEEPER_DATA_DIR)
      assert.deepEqual(
        left.filter((name) => name.startsWith('postgres.new-')),
        [],
      )
      const next = await runCli(['migrate'], { CLAIMKEEPER_DATA_DIR })
      assert.equal(next.status, 0, next.stderr)
    })
  }

  test('while it waits for an unavailable database', async () => {
    const DATABASE_URL = 'postgres://127.0.0.1:1/nowhere'
    const { status, output } = await runUntil('Waiting for the database', 'SIGTERM', { DATABASE_URL })
    assert.equal(status, 0)
    assert.match(output, /Stopped by SIGTERM before it was ready/)
  })

  test('though a file of the data folder never answers', async (t) => {
    const dataDir = await newDataFolder(t)
    const pipe = join(dataDir, 'postgres', 'PG_VERSION')
    await mkdir(join(dataDir, 'postgres'), { recursive: true })
    await promisify(execFile)('mkfifo', [pipe])
    // The reader of a pipe waits as long as a writer has the pipe open.
    const beingRead = eventually(() =>
      open(pipe, constants.O_WRONLY | constants.O_NONBLOCK).catch(() => null),
    )
    const { status, output } = await runUntil(beingRead, 'SIGTERM', { CLAIMKEEPER_DATA_DIR: dataDir })
    assert.equal(status, null)
    assert.match(output, /The stop has timed out/)
    await (await beingRead).close()
  })

  for (const [command, expected] of [
    ['serve', 0],
    ['migrate', 1],
  ] as const) {
    test(`while another’s lock holds up the migrations of ${command}`, async (t) => {
      const DATABASE_URL = await createTestDatabase(t)
      const held = await holdMigrations(t, DATABASE_URL)
      const { status, output } = await runUntil(
        held.untilStatementsWait(),
        'SIGTERM',
        { DATABASE_URL },
        command,
      )
      assert.equal(status, expected, output)
      assert.match(output, /Stopped by SIGTERM/)
      await held.release()
    })
  }
})

describe('the first token is not lost with a start that is killed', { concurrency: 2 }, () => {
  for (const moment of ['Creating the account', 'TOKEN=ck_']) {
    test(`at "${moment}"`, async (t) => {
      const CLAIMKEEPER_DATA_DIR = await madeDataFolder(t)
      const killed = await runUntil(moment, 'SIGKILL', { CLAIMKEEPER_DATA_DIR })
      const served = await startServeProcess(t, { CLAIMKEEPER_DATA_DIR })
      const token = served.token ?? killed.token
      assert.ok(token)
      const answer = await fetch(`${served.url}/v1/claims`, { headers: { Authorization: `Bearer ${token}` } })
      assert.equal(answer.status, 200)
    })
  }
})

test('a database that takes no writes is refused in one line with its reason', async (t) => {
  const DATABASE_URL = new URL(await createTestDatabase(t, { migrated: false }))
  DATABASE_URL.searchParams.set('options', '-c default_transaction_read_only=on')
  const { status, stderr } = await runSharedCli(['serve'], { DATABASE_URL: DATABASE_URL.href })
  assert.equal(status, 1)
  assert.match(
    stderr,
    /^claimkeeper: [^\n]*default_transaction_read_only = on \(no transaction may write\)[^\n]*\n$/,
  )
})
