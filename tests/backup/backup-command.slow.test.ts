import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { beginRestoration } from '../../src/backup/restoration-store.ts'
import { newDataFolder } from '../support/data-folder.ts'
import { isOnCitus } from '../support/database-nodes.ts'
import { queryOn } from '../support/embedded-data-folder.ts'
import { eventually } from '../support/eventually.ts'
import { newClaim } from '../support/new-records.ts'
import { runCli, startCli } from '../support/serve-process.ts'
import { mountSmallDisk } from '../support/small-disk.ts'
import { restoreBackup } from '../support/source/backup.ts'
import { CODE_VERSION } from '../support/source/database.ts'
import { openEmbeddedDatabase } from '../support/source/embedded.ts'
import { OperatorError } from '../support/source/errors.ts'
import { createTestDatabase, type Scope } from '../support/test-database.ts'
import { startTestService, type TestService } from '../support/test-service.ts'
import { createBackup, emptyDatabase, inChunks, listTables, silentOptions } from './backups.ts'

const ONE_LINE = /^claimkeeper: [^\n]+\n$/m
/** So much that a backup is still being written when it is interrupted. */
const EVENTS = 60
const PAYLOAD_BYTES = 200_000

/** Of a claim with one event, whose payload is some thousand hexadecimal digits. */
async function smallBackup(t: Scope): Promise<Buffer> {
  const { api, databaseUrl } = await startTestService(t)
  const { id } = await newClaim(api)
  const value = randomBytes(2_000).toString('hex')
  assert.equal((await api.post(`/v1/claims/${id}/events`, { type: 'seen', value })).status, 201)
  return createBackup(databaseUrl)
}

describe('a backup', { skip: isOnCitus() && 'distributed claims are not backed up' }, () => {
  const later: (() => Promise<void>)[] = []
  const scope = { after: (release: () => Promise<void>) => void later.unshift(release) }
  let service: TestService
  let folder: string
  let DATABASE_URL: string

  before(async () => {
    service = await startTestService(scope)
    DATABASE_URL = service.databaseUrl
    folder = await mkdtemp(join(tmpdir(), 'claimkeeper-backup-'))
    const { id: claim_id } = await newClaim(service.api)
    for (let i = 0; i < EVENTS; i++) {
      const value = randomBytes(PAYLOAD_BYTES / 2).toString('hex')
      await service.api.post('/v1/events', { claim_id, id: `${i}`, type: 'seen', value })
    }
  })
  after(async () => {
    for (const release of later) await release()
    await rm(folder, { recursive: true })
  })

  /** Once the backup is at work. */
  const strike = (how: string) =>
    eventually(async () => {
      const rows = await service.sql(
        `SELECT ${how} AS interrupted FROM pg_stat_activity
         WHERE application_name = 'claimkeeper backup' AND datname = current_database() AND query LIKE 'COPY claim_events%'`,
      )
      return rows.length > 0
    })

  for (const [what, how] of [
    ['a connection that is cut', 'pg_terminate_backend(pid)'],
    ['Ctrl-C', "'seen'"],
  ] as const) {
    test(`${what} in the middle ends it with one line and leaves no file`, async (t) => {
      const file = join(folder, 'never')
      const { end, ended, stderr } = startCli(t, ['backup', file], { DATABASE_URL })
      await strike(how)
      const status = what === 'Ctrl-C' ? await end('SIGINT') : await ended()
      assert.equal(status, 1, stderr())
      assert.match(stderr(), ONE_LINE)
      assert.deepEqual(
        (await readdir(folder)).filter((name) => name.startsWith('never')),
        [],
      )
    })
  }

  test('a full disk ends it with one line and leaves no file', async (t) => {
    const disk = await mountSmallDisk(t, 4)
    if (disk === null) return t.skip('this user may not mount a disk')
    const file = join(dirname(disk.dataDir), 'full')
    const { status, stderr } = await runCli(['backup', file], { DATABASE_URL })
    assert.equal(status, 1)
    assert.match(stderr, /claimkeeper: The backup cannot be written to \S+full: ENOSPC[^\n]+\n$/)
    assert.deepEqual(await readdir(dirname(file)), [])
  })

  test('that is damaged or truncated anywhere is rejected, and nothing is restored', async (t) => {
    // Without an event: the header says null of it.
    const whole = await createBackup(await createTestDatabase(t))
    const url = await emptyDatabase(t)
    const changed = (at: number) => {
      const bytes = Buffer.from(whole)
      bytes[at] = (bytes[at] as number) ^ 1
      return bytes
    }
    const header = whole.indexOf('\n')
    const places = [0, 30, header + 12, (header + whole.length) >> 1, whole.length - 5]
    const bad = [
      ...places.map(changed),
      // What the first line says counts as well.
      Buffer.concat([
        whole.subarray(0, header - 30),
        Buffer.from(
          whole
            .subarray(header - 30, header)
            .toString()
            .replace('null', '"x" '),
        ),
        whole.subarray(header),
      ]),
      ...[10, header + 1, (header + whole.length) >> 1, whole.length - 1].map((end) =>
        whole.subarray(0, end),
      ),
      // What is damaged may be a text all the same, whose checksum comes behind it.
      Buffer.concat([
        whole.subarray(0, header + 1),
        zstdCompressSync(
          zstdDecompressSync(whole.subarray(header + 1))
            .toString()
            .replace(/^COPY customers \(\w/m, 'COPY customers (0'),
        ),
      ]),
    ]
    for (const bytes of bad) {
      await assert.rejects(restoreBackup(inChunks(bytes), url, silentOptions), OperatorError)
      assert.deepEqual(await listTables(url), [])
    }
    await restoreBackup(inChunks(whole), url, silentOptions)
  })

  test('that is damaged leaves an empty database in a new data folder, into which a complete one can be restored', async (t) => {
    const whole = await smallBackup(t)
    const rows = whole.indexOf('\n') + 1
    const text = zstdDecompressSync(whole.subarray(rows)).toString()
    // In a payload: PostgreSQL takes the row, and only the hash tells.
    const changed = text.replace(/[0-9a-f]{1000}/, (some) => `${some.slice(1)}g`)
    assert.notEqual(changed, text)
    const damaged = Buffer.concat([whole.subarray(0, rows), zstdCompressSync(changed)])
    await writeFile(join(folder, 'damaged'), damaged)
    await writeFile(join(folder, 'sound'), whole)
    const CLAIMKEEPER_DATA_DIR = await newDataFolder(t)
    const { status, stderr } = await runCli(['restore', join(folder, 'damaged')], { CLAIMKEEPER_DATA_DIR })
    assert.equal(status, 1)
    assert.match(stderr, /claimkeeper: The backup is damaged, and nothing was restored: [^\n]+\n$/)
    const again = await runCli(['restore', join(folder, 'sound')], { CLAIMKEEPER_DATA_DIR })
    assert.equal(again.status, 0, again.stderr)
    const once = await runCli(['restore', join(folder, 'sound')], { CLAIMKEEPER_DATA_DIR })
    assert.equal(once.status, 1)
    assert.match(once.stderr, /claimkeeper: The database is not empty \(\w+ and \d+ more\)[^\n]+\n$/)
  })

  test('is restored once by concurrent commands on one new data folder', async (t) => {
    await writeFile(join(folder, 'shared'), await smallBackup(t))
    const CLAIMKEEPER_DATA_DIR = await newDataFolder(t)
    const restores = await Promise.all(
      [1, 2, 3].map(() => runCli(['restore', join(folder, 'shared')], { CLAIMKEEPER_DATA_DIR })),
    )
    assert.deepEqual(restores.map(({ status }) => status).sort(), [0, 1, 1])
    for (const { status, stderr } of restores) {
      if (status !== 0) assert.match(stderr, /claimkeeper: The database is not empty [^\n]+\n$/)
    }
    const embedded = await openEmbeddedDatabase({
      dataDir: CLAIMKEEPER_DATA_DIR,
      mayCreate: false,
      role: 'command',
      report: () => {},
    })
    t.after(() => embedded.release())
    const events = await queryOn(embedded.connectionString, 'SELECT count(*)::integer AS n FROM claim_events')
    assert.deepEqual(events, [{ n: 1 }])
  })

  test('with a row that PostgreSQL rejects fails with one error, however much data follows', async (t) => {
    const url = await emptyDatabase(t)
    const row = (n: number) => `${n}-${'x'.repeat(200)}\t1\t2026-01-01T00:00:00Z\n`
    async function* rows() {
      for (let chunk = 0; chunk < 4_000; chunk++) {
        const some = Array.from({ length: 40 }, (_, i) => row(40 * chunk + i))
        yield Buffer.from(chunk === 1_000 ? 'no row at all\n' : some.join(''))
      }
    }
    for (let i = 0; i < 5; i++) {
      const restoration = await beginRestoration(url, CODE_VERSION, () => {})
      await assert.rejects(
        restoration.copyRows('throttles', ['key', 'attempts', 'ends_at'], rows()),
        OperatorError,
      )
      await restoration.close()
    }
    assert.deepEqual(await listTables(url), [])
  })
})
