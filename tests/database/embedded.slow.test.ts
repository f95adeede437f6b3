import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { networkInterfaces } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, test } from 'node:test'
import {
  isRunning,
  madeDataDir,
  newDataDir,
  oneLine,
  openElsewhere,
  openHere,
  postmasterPid,
  queryOn,
} from '../support/embedded-data-folder.ts'
import { assertRolesApart } from '../support/embedded-roles.ts'
import { eventually } from '../support/eventually.ts'
import { destroyEmbeddedDatabase } from '../support/source/embedded.ts'

const FOREIGN_SETTINGS = {
  PGHOST: 'example.invalid',
  PGPORT: '1',
  PGUSER: 'nobody',
  PGPASSWORD: 'wrong',
  PGDATABASE: 'nowhere',
  PGDATA: '/nonexistent',
  PGOPTIONS: '-c no_such_setting=1',
  PGSSLMODE: 'require',
  LC_ALL: 'xx_XX.nonsense',
}

/** Ends a server as a crash would, and waits until the process is gone. */
async function crash(pid: number): Promise<void> {
  process.kill(pid, 'SIGKILL')
  await eventually(async () => !(await isRunning(pid)))
}

// Most of the time goes to initdb, one after another in each: some at once keep both cores busy.
const SOME_AT_ONCE = { concurrency: 4 }

describe('the first start', SOME_AT_ONCE, () => {
  test('creates the database and its roles and listens on 127.0.0.1 only, whatever the environment says of other servers', async (t) => {
    // PostgreSQL runs as another user than root, who must get in.
    const dataDir = await newDataDir(t, process.getuid?.() === 0 ? 0o700 : 0o755)
    const { connectionString } = await openElsewhere(t, dataDir, 'service', FOREIGN_SETTINGS)
    const rows = await queryOn(
      connectionString,
      `SELECT current_database(), current_user, current_setting('fsync') AS fsync, current_setting('TimeZone') AS zone,
              current_setting('synchronous_commit') AS sync, current_setting('server_encoding') AS encoding`,
    )
    assert.deepEqual(rows, [
      {
        current_database: 'claimkeeper',
        current_user: 'claimkeeper',
        fsync: 'on',
        zone: 'UTC',
        sync: 'on',
        encoding: 'UTF8',
      },
    ])
    await assertRolesApart(dataDir, connectionString)
    assert.equal((await stat(join(dataDir, 'postgres'))).mode & 0o777, 0o700)
    assert.equal((await stat(join(dataDir, 'postgres.log'))).mode & 0o777, 0o600)
    const port = Number(new URL(connectionString).port)
    const others = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? [])
    for (const { address, scopeid } of others.filter((other) => other.address !== '127.0.0.1')) {
      if (scopeid) continue
      await assert.rejects(once(connect({ host: address, port }), 'connect'), /ECONNREFUSED/)
    }
    const file = await readFile(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8')
    const [socketFolder, address] = file.split('\n').slice(4)
    assert.deepEqual([socketFolder, address], ['', '127.0.0.1'])
  })

  test('of two concurrent services creates one database, and removes files of killed starts only', async (t) => {
    const dataDir = await newDataDir(t)
    const dead = spawn(process.execPath, ['--version'], { stdio: 'ignore' })
    await once(dead, 'exit')
    await mkdir(join(dataDir, `postgres.new-${dead.pid}-00ff`, 'cluster'), { recursive: true })
    await mkdir(join(dataDir, `postgres.new-${process.ppid}-00ff`))
    const [here, there] = await Promise.all([
      openHere(dataDir, 'service'),
      openElsewhere(t, dataDir, 'command'),
    ])
    assert.equal(here.connectionString, there.connectionString)
    const pid = await postmasterPid(dataDir)
    await Promise.all([here.release(), there.release()])
    assert.equal(await isRunning(pid), false)
    const left = (await readdir(dataDir)).sort()
    assert.deepEqual(left, ['postgres', 'postgres.log', `postgres.new-${process.ppid}-00ff`])
  })
})

describe('a data folder that has been used', SOME_AT_ONCE, () => {
  test('of a killed process has its server still: the next one takes it over', async (t) => {
    const dataDir = await madeDataDir(t)
    const killed = await openElsewhere(t, dataDir, 'service')
    await queryOn(killed.connectionString, 'CREATE TABLE kept AS SELECT 7 AS value')
    const pid = await postmasterPid(dataDir)
    await killed.kill()
    const next = await openHere(dataDir, 'service')
    assert.deepEqual(next.reported, [`Found PostgreSQL running already (process ${pid})`])
    assert.deepEqual(await queryOn(next.connectionString, 'SELECT value FROM kept'), [{ value: 7 }])
    await next.release()
    assert.equal(await isRunning(pid), false)
  })

  test('is served although its stale postmaster.pid names another running program', async (t) => {
    const dataDir = await madeDataDir(t)
    const killed = await openElsewhere(t, dataDir, 'command')
    await killed.kill()
    await crash(await postmasterPid(dataDir))
    const foreigner = await livingProgram(dataDir)
    t.after(() => foreigner.kill('SIGKILL'))
    const file = join(dataDir, 'postgres', 'postmaster.pid')
    const [, ...rest] = (await readFile(file, 'utf8')).split('\n')
    await writeFile(file, [foreigner.pid, ...rest].join('\n'))
    const next = await openHere(dataDir)
    assert.notEqual(await postmasterPid(dataDir), foreigner.pid)
    await next.release()
    assert.equal(await isRunning(foreigner.pid ?? 0), true)
  })

  test('is refused in one line when it is of another PostgreSQL, of another application or of another password', async (t) => {
    const dataDir = await madeDataDir(t)
    await (await openHere(dataDir)).release()
    const password = join(dataDir, 'postgres', 'claimkeeper.password')
    await writeFile(password, 'f'.repeat(64))
    await assert.rejects(openHere(dataDir), oneLine(/rejects the password/))
    await writeFile(join(dataDir, 'postgres', 'PG_VERSION'), '17\n')
    await assert.rejects(openHere(dataDir), oneLine(/created by PostgreSQL 17, and this is PostgreSQL 18/))
    await destroyEmbeddedDatabase(dataDir)
    await mkdir(join(dataDir, 'postgres', 'something'), { recursive: true })
    await assert.rejects(openHere(dataDir), oneLine(/is not a database of Claimkeeper/))
  })

  test('is removed with its running server by destroyEmbeddedDatabase', async (t) => {
    const dataDir = await madeDataDir(t)
    const killed = await openElsewhere(t, dataDir, 'service')
    const pid = await postmasterPid(dataDir)
    await killed.kill()
    await destroyEmbeddedDatabase(dataDir)
    assert.equal(await isRunning(pid), false)
    assert.deepEqual(await readdir(dirname(dataDir)), [])
  })
})

describe('several at once', SOME_AT_ONCE, () => {
  test('a second service in another process is refused in one line and does not disturb the first', async (t) => {
    const dataDir = await madeDataDir(t)
    const service = await openElsewhere(t, dataDir, 'service')
    await assert.rejects(openHere(dataDir, 'service'), oneLine(/Another Claimkeeper service already uses/))
    assert.deepEqual(await queryOn(service.connectionString, 'SELECT 1 AS one'), [{ one: 1 }])
    const pid = await postmasterPid(dataDir)
    await service.release()
    assert.equal(await isRunning(pid), false)
  })

  test('the last of a service and a command stops the server, in either order', async (t) => {
    const dataDir = await madeDataDir(t)
    for (const first of ['service', 'command'] as const) {
      const last = first === 'service' ? 'command' : 'service'
      const open = {
        service: await openHere(dataDir, 'service'),
        command: await openHere(dataDir, 'command'),
      }
      const pid = await postmasterPid(dataDir)
      await open[first].release()
      assert.deepEqual(await queryOn(open[last].connectionString, 'SELECT 1 AS one'), [{ one: 1 }])
      await open[last].release()
      assert.equal(await isRunning(pid), false)
    }
  })

  test('a client that opens the database during the last close is served', async (t) => {
    const dataDir = await madeDataDir(t)
    let leaving = Promise.resolve()
    for (let round = 0; round < 4; round += 1) {
      const database = await openHere(dataDir)
      await leaving
      assert.deepEqual(await queryOn(database.connectionString, 'SELECT 1 AS one'), [{ one: 1 }])
      leaving = database.release()
    }
    await leaving
  })
})

describe('a server that does not respond', SOME_AT_ONCE, () => {
  test('is left as it is, in time, and found by the next start', { timeout: 60_000 }, async (t) => {
    const dataDir = await madeDataDir(t)
    const database = await openHere(dataDir, 'service')
    const postmaster = await postmasterPid(dataDir)
    const [session] = await queryOn(
      database.connectionString,
      "SELECT pid FROM pg_stat_activity WHERE application_name = 'claimkeeper presence'",
    )
    const pid = session?.pid as number
    process.kill(pid, 'SIGSTOP')
    await database.release()
    assert.ok(await isRunning(postmaster))
    process.kill(pid, 'SIGCONT')
    await eventually(async () => !(await isRunning(pid)))

    const next = await openHere(dataDir, 'service')
    assert.ok(next.reported.some((line) => line.includes(`(process ${postmaster})`)))
    await next.release()
    assert.equal(await isRunning(postmaster), false)
  })

  test('is left in the time that its service has, and ends once it can', async (t) => {
    const dataDir = await madeDataDir(t)
    const database = await openHere(dataDir, 'service')
    const postmaster = await postmasterPid(dataDir)
    process.kill(postmaster, 'SIGSTOP')
    t.after(async () => {
      if (await isRunning(postmaster)) process.kill(postmaster, 'SIGCONT')
    })
    const from = performance.now()
    await assert.rejects(database.release(2_000), oneLine(/does not stop; the next start will find it/))
    // Without a bound it would be 20 s.
    assert.ok(performance.now() - from < 12_000)
    process.kill(postmaster, 'SIGCONT')
    await eventually(async () => !(await isRunning(postmaster)))
  })
})

describe('a service that loses its server', SOME_AT_ONCE, () => {
  test('brings it back on the same connection string and is still the only service', async (t) => {
    const dataDir = await madeDataDir(t)
    const service = await openHere(dataDir, 'service')
    await queryOn(service.connectionString, 'CREATE TABLE kept AS SELECT 7 AS value')
    const killedPid = await postmasterPid(dataDir)
    await crash(killedPid)
    const isBack = () => service.reported.some((step) => step.startsWith('PostgreSQL runs again'))
    await eventually(async () => isBack())
    assert.deepEqual(await queryOn(service.connectionString, 'SELECT value FROM kept'), [{ value: 7 }])
    assert.notEqual(await postmasterPid(dataDir), killedPid)
    await assert.rejects(openHere(dataDir, 'service'), oneLine(/Another Claimkeeper service/))
    const pid = await postmasterPid(dataDir)
    await service.release()
    assert.equal(await isRunning(pid), false)
  })

  test('restarts it after a smart shutdown, which would wait for clients forever', async (t) => {
    const dataDir = await madeDataDir(t)
    const service = await openHere(dataDir, 'service')
    const pid = await postmasterPid(dataDir)
    process.kill(pid, 'SIGTERM')
    await eventually(async () => (await postmasterPid(dataDir).catch(() => pid)) !== pid)
    await eventually(
      async () => (await queryOn(service.connectionString, 'SELECT 1').catch(() => [])).length === 1,
    )
    await service.release()
  })

  test('leaves no server when it is released during a restart', async (t) => {
    const dataDir = await madeDataDir(t)
    const service = await openHere(dataDir, 'service')
    await crash(await postmasterPid(dataDir))
    await service.release()
    const pid = await postmasterPid(dataDir).catch(() => undefined)
    assert.equal(pid !== undefined && (await isRunning(pid)), false)
  })
})

/** A program of the user that PostgreSQL runs as, standing in the cluster's folder: as near to a server as can be. */
async function livingProgram(dataDir: string) {
  const { uid, gid } = await stat(join(dataDir, 'postgres'))
  const child = spawn('sleep', ['600'], { cwd: join(dataDir, 'postgres'), stdio: 'ignore', uid, gid })
  await once(child, 'spawn')
  return child
}
