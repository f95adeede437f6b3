import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { restoreBackup } from '../../src/app/backup/restore-backup.ts'
import { writeBackup } from '../../src/app/backup/write-backup.ts'
import { OperatorError } from '../../src/operator-error.ts'
import { beginRestoration } from '../../src/storage/backup/restoration.ts'
import { Pool } from '../../src/storage/database/lending/pool.ts'
import { migrate } from '../../src/storage/database/migrate.ts'
import { openEmbeddedDatabase } from '../../src/storage/embedded/open-embedded-database.ts'
import { CODE_VERSION, OWN_MIGRATIONS } from '../../src/storage/upgrade/migration-files.ts'
import { contractWith } from '../support/contracts.ts'
import { newDataFolder } from '../support/data-folder.ts'
import { isOnCitus } from '../support/database-nodes.ts'
import { ask } from '../support/embedded-data-folder.ts'
import { eventually } from '../support/eventually.ts'
import { newCustomer, newSchema } from '../support/new-records.ts'
import { runCli, startCli } from '../support/serve-process.ts'
import { mountSmallDisk } from '../support/small-disk.ts'
import { createTestDatabase } from '../support/test-database.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

const ONE_LINE = /^claimkeeper: [^\n]+\n$/m
/** So much that a backup is still being written when it is struck. */
const EVENTS = 60
const PAYLOAD_BYTES = 200_000

const emptyDatabase = (t: Parameters<typeof createTestDatabase>[0]) =>
  createTestDatabase(t, { migrated: false })
const never = new AbortController().signal
const silent = { begin: () => {}, advance: () => {}, note: () => {} }
const quietly = { disablesWebhooks: false, report: () => {}, signal: never }

async function* inPieces(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536)
}

async function backupOf(url: string): Promise<Buffer> {
  const pieces: Buffer[] = []
  await writeBackup(url, async (piece) => void pieces.push(Buffer.from(piece)), silent, never)
  return Buffer.concat(pieces)
}

const tablesIn = (url: string) =>
  ask(
    url,
    "SELECT relname FROM pg_class WHERE relkind IN ('r', 'S') AND relnamespace = 'public'::regnamespace",
  )

if (isOnCitus()) {
  test('distributed claims are not backed up: a line says what to use', async (t) => {
    const { databaseUrl: DATABASE_URL } = await startTestService(t)
    const { status, stdout, stderr } = await runCli(['backup', '-'], { DATABASE_URL })
    assert.deepEqual([status, stdout], [1, ''])
    assert.match(
      stderr,
      /claimkeeper: The claims are distributed by Citus[^\n]+citus_create_restore_point[^\n]+\n$/,
    )
  })
} else {
  describe('a backup', () => {
    const later: (() => Promise<void>)[] = []
    const scope = { after: (release: () => Promise<void>) => void later.unshift(release) }
    let service: TestService
    let folder: string
    let DATABASE_URL: string
    let claim: string

    before(async () => {
      service = await startTestService(scope)
      DATABASE_URL = service.databaseUrl
      folder = await mkdtemp(join(tmpdir(), 'claimkeeper-backup-'))
      claim = (await service.api.claim((await newCustomer(service.api)).id, contractWith())).id
      const schema = await newSchema(service.api)
      await service.api.patch(`/v1/schemas/${schema.id}`, { name: 'of a version that it had' })
      for (let i = 0; i < EVENTS; i++) {
        const value = randomBytes(PAYLOAD_BYTES / 2).toString('hex')
        await service.api.post('/v1/events', { claim_id: claim, id: `${i}`, type: 'seen', value })
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
          `SELECT ${how} AS struck FROM pg_stat_activity
           WHERE application_name = 'claimkeeper backup' AND datname = current_database() AND query LIKE 'COPY claim_events%'`,
        )
        return rows.length > 0
      })

    test('goes to a pipe and comes back from a file as it was, hashes, identities and all', async (t) => {
      const child = await runCli(['backup', join(folder, 'whole')], { DATABASE_URL })
      assert.equal(child.status, 0, child.stderr)
      assert.equal((await stat(join(folder, 'whole'))).mode & 0o777, 0o600)
      const url = await emptyDatabase(t)
      const restore = await runCli(['restore', join(folder, 'whole')], { DATABASE_URL: url })
      assert.equal(restore.status, 0, restore.stderr)
      for (const table of [
        'claims',
        'claim_events',
        'contracts',
        'claim_schemas',
        'claim_schema_versions',
        'customers',
        'api_tokens',
        'notifications',
      ]) {
        const rows = `SELECT md5(string_agg(t::text, '|' ORDER BY t::text)) FROM ${table} t`
        assert.deepEqual(await ask(url, rows), await service.sql(rows), table)
      }
      const again = await runCli(['restore', join(folder, 'whole')], { DATABASE_URL: url })
      assert.equal(again.status, 1)
      assert.match(again.stderr, /claimkeeper: The database is not empty \(\w+ and \d+ more\)[^\n]+\n$/)
    })

    test('takes no other file’s place without --force, and leaves it until the new one is whole', async () => {
      const file = join(folder, 'kept')
      await writeFile(file, 'mine')
      const refused = await runCli(['backup', file], { DATABASE_URL })
      assert.deepEqual([refused.status, await readFile(file, 'utf8')], [1, 'mine'])
      assert.match(refused.stderr, ONE_LINE)
      const forced = await runCli(['backup', '--force', file], { DATABASE_URL })
      assert.equal(forced.status, 0)
      assert.match(await readFile(file, 'latin1'), /^claimkeeper-backup /)
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

    test('a disk that is full ends it with one line and leaves no file', async (t) => {
      const disk = await mountSmallDisk(t, 4)
      if (disk === null) return t.skip('this user may not mount a disk')
      const file = join(dirname(disk.dataDir), 'full')
      const { status, stderr } = await runCli(['backup', file], { DATABASE_URL })
      assert.equal(status, 1)
      assert.match(stderr, /claimkeeper: The backup cannot be written to \S+full: ENOSPC[^\n]+\n$/)
      assert.deepEqual(await readdir(dirname(file)), [])
    })

    test('that is damaged or cut anywhere is refused, and nothing of it is restored', async (t) => {
      const whole = await backupOf((await startTestService(t)).databaseUrl)
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
        await assert.rejects(restoreBackup(inPieces(bytes), url, quietly), OperatorError)
        assert.deepEqual(await tablesIn(url), [])
      }
      await restoreBackup(inPieces(whole), url, quietly)
    })

    test('that is damaged leaves an empty database in a new data folder, into which a whole one is restored', async (t) => {
      const whole = await backupOf(DATABASE_URL)
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
    })

    test('is restored once by several commands that come to one new data folder together', async (t) => {
      await writeFile(join(folder, 'shared'), await backupOf(DATABASE_URL))
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
      const events = await ask(embedded.connectionString, 'SELECT count(*)::integer AS n FROM claim_events')
      assert.deepEqual(events, [{ n: EVENTS }])
    })

    test('of which a row is refused is refused in good order, however much more is on its way', async (t) => {
      const url = await emptyDatabase(t)
      const row = (n: number) => `${n}-${'x'.repeat(200)}\t1\t2026-01-01T00:00:00Z\n`
      async function* rows() {
        for (let piece = 0; piece < 4_000; piece++) {
          const some = Array.from({ length: 40 }, (_, i) => row(40 * piece + i))
          yield Buffer.from(piece === 1_000 ? 'no row at all\n' : some.join(''))
        }
      }
      for (let i = 0; i < 5; i++) {
        const restoration = await beginRestoration(url, CODE_VERSION, () => {})
        await assert.rejects(
          restoration.fill('throttles', ['key', 'attempts', 'ends_at'], rows()),
          OperatorError,
        )
        await restoration.close()
      }
      assert.deepEqual(await tablesIn(url), [])
    })

    test('of an older version is restored at that version and then migrated; of a newer one refused', async (t) => {
      const old = await emptyDatabase(t)
      const pool = new Pool({ connectionString: old, size: 1 })
      t.after(() => pool.close())
      await migrate(
        pool.for('tests'),
        () => {},
        OWN_MIGRATIONS.filter(({ version }) => version <= 6),
      )
      await ask(
        old,
        "INSERT INTO users (id, email, created_at) VALUES (gen_random_uuid(), 'old@example.com', now())",
      )
      await ask(
        old,
        `INSERT INTO claims (id, user_id, customer_id, contract, decisive_event_types, status, status_since, due_at, created_at)
        SELECT gen_random_uuid(), id, id, '{"price": 12.5}', '{}', 'OPEN', now(), now(), now() FROM users`,
      )
      const bytes = await backupOf(old)
      const url = await emptyDatabase(t)
      await restoreBackup(inPieces(bytes), url, quietly)
      const [row] = await ask(
        url,
        'SELECT price::text, (SELECT max(version) FROM schema_migrations) > 6 AS newer FROM claims',
      )
      assert.deepEqual(row, { price: '12.5', newer: true })

      const newer = Buffer.from(
        bytes.toString('latin1').replace('"migration":6', '"migration":999'),
        'latin1',
      )
      await assert.rejects(
        restoreBackup(inPieces(newer), await emptyDatabase(t), quietly),
        /is newer than this Claimkeeper/,
      )
    })
  })
}
