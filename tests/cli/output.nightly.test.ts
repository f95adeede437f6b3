import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { after, describe, test } from 'node:test'
import { SAMPLE_CONTRACT, SAMPLE_LOG } from '../backtest/backtest-files.ts'
import { archiveFolder } from '../support/archived-claims.ts'
import { FULL } from '../support/full-disk.ts'
import { childEnvironment, MAIN, startServeProcess } from '../support/serve-process.ts'
import { mountSmallDisk } from '../support/small-disk.ts'
import { createTestDatabase } from '../support/test-database.ts'
import { startTestService } from '../support/test-service.ts'
import { runWithOutput } from './run-with-output.ts'

const service = await startTestService({ after })
const { databaseUrl: DATABASE_URL } = service

describe('every command that prints', { skip: FULL === null && 'the system has no /dev/full' }, () => {
  const backtest = ['backtest', '--log', SAMPLE_LOG, '--contract', SAMPLE_CONTRACT]
  const commands = [
    ['--version'],
    ['help', 'token'],
    ['migrate'],
    ['backup', '-'],
    ['doctor'],
    ['doctor', '--json'],
    backtest,
    [...backtest, '--json'],
    ['user', 'list'],
    ['token', 'list'],
    ['token', 'list', '--json'],
    ['archive', 'list'],
    ['archive', 'check'],
    ['listen', '--url', service.url, '--forward-to', 'http://127.0.0.1:1'],
  ]
  for (const output of [FULL as number, 'closed pipe'] as const) {
    test(`fails on ${output === 'closed pipe' ? output : 'a full disk'}`, async (t) => {
      const settings = {
        DATABASE_URL,
        CLAIMKEEPER_ARCHIVE_DIR: await archiveFolder(t),
        CLAIMKEEPER_TOKEN: service.api.token ?? '',
      }
      for (const args of commands) {
        const { status, stderr } = await runWithOutput(output, args, settings)
        assert.equal(status, 1, args.join(' '))
        assert.match(stderr, /claimkeeper: cannot write to standard output: /, args.join(' '))
      }
    })
  }
})

test('a disk that takes only a part of the output fails the command', async (t) => {
  const disk = await mountSmallDisk(t, 1)
  if (!disk) return t.skip('no disk can be mounted here')
  const folder = dirname(disk.dataDir)
  await writeFile(join(folder, 'pad'), Buffer.alloc(1024 * 1024 - 4096))
  // For a backup of more than that.
  await service.sql(
    "INSERT INTO users (id, email, created_at) SELECT gen_random_uuid(), gen_random_uuid() || '@example.com', now() FROM generate_series(1, 300)",
  )
  for (const args of [
    ['serve', '--help'],
    ['backup', '-'],
  ]) {
    const output = openSync(join(folder, 'output'), 'w')
    t.after(() => closeSync(output))
    const { status, stderr } = await runWithOutput(output, args, { DATABASE_URL })
    assert.equal(status, 1, args.join(' '))
    assert.match(stderr, /cannot write to standard output: no space left on device/)
  }
})

test('a service whose output goes to a full disk serves, and leaves the first token to a later start', {
  skip: FULL === null && 'the system has no /dev/full',
}, async (t) => {
  const settings = { DATABASE_URL: await createTestDatabase(t, { migrated: false }) }
  const child = spawn(process.execPath, [MAIN, 'serve'], {
    env: childEnvironment(settings),
    stdio: ['ignore', FULL as number, 'pipe'],
  })
  t.after(() => child.kill('SIGKILL'))
  const ended = once(child, 'close')
  let log = ''
  for await (const chunk of child.stderr ?? []) {
    log += chunk
    if (log.includes('the banner was not shown') && !child.killed) child.kill('SIGTERM')
  }
  assert.deepEqual(await ended, [0, null], log)
  const later = await startServeProcess(t, settings)
  const answer = await fetch(`${later.url}/v1/me`, { headers: { Authorization: `Bearer ${later.token}` } })
  assert.equal(answer.status, 200)
})
