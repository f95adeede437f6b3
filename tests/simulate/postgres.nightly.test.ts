import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { type TestContext, test } from 'node:test'
import { Cleanup } from '../../bench/cleanup.ts'
import { dataDirOf, workFolders } from '../../bench/work-folder.ts'
import { Clock, clocksUnavailable } from '../../simulate/testbed/clock.ts'
import { Postgres } from '../../simulate/testbed/postgres.ts'
import { isRunning } from '../support/embedded-data-folder.ts'

async function start(t: TestContext, withClock: boolean): Promise<{ postgres: Postgres; cleanup: Cleanup }> {
  const cleanup = new Cleanup()
  t.after(() => cleanup.run())
  const folder = await workFolders.make(tmpdir(), cleanup)
  const clock = withClock ? await Clock.make(folder, 'database') : null
  const postgres = await Postgres.create(dataDirOf(folder), clock?.environment ?? {}, cleanup)
  return { postgres, cleanup }
}

const isRoot = process.getuid?.() === 0

test('a process killed with what the clocks share does not hold up PostgreSQL', {
  skip: clocksUnavailable() ?? (isRoot ? false : 'only root may write what others share'),
}, async (t) => {
  const { postgres } = await start(t, true)
  await holdSemaphores((await postgres.pid()) as number)
  const late = AbortSignal.timeout(30_000)
  await Promise.race([
    postgres.stop('immediate'),
    new Promise((_, reject) => late.addEventListener('abort', () => reject(late.reason))),
  ])
  assert.equal(await postgres.pid(), null)
})

test('what the clocks of a killed process left behind goes: another may get its number', {
  skip: clocksUnavailable() ?? false,
}, async (t) => {
  const { pid } = spawnSync(process.execPath, ['--version'])
  const left = `/dev/shm/faketime_shm_${pid}`
  await writeFile(left, '')
  await start(t, true)
  assert.ok(!existsSync(left))
})

/** As a killed process leaves them: glibc keeps a semaphore's value in its file, and 0 is that of one that is held. */
async function holdSemaphores(pid: number): Promise<void> {
  const maps = await readFile(`/proc/${pid}/maps`, 'utf8')
  const shared = maps.split('\n').filter((line) => line.includes('faketime_sem'))
  for (const line of shared) {
    await writeFile(`/proc/${pid}/map_files/${line.split(' ')[0]}`, Buffer.alloc(8), { flag: 'r+' })
  }
}

test('a PostgreSQL that does not stop is killed in the end', {
  skip: process.platform === 'win32' ? 'Windows has no SIGSTOP' : false,
}, async (t) => {
  const { postgres, cleanup } = await start(t, false)
  const pid = (await postgres.pid()) as number
  process.kill(pid, 'SIGSTOP')
  await cleanup.run()
  // A killed process is a zombie until its parent has fetched it.
  assert.equal(await isRunning(pid), false)
})
