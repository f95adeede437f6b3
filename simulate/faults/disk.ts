import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { LocalTestbed } from '../testbed/local-testbed.ts'
import { type LocalFault, seconds, wait } from './timing.ts'

let mounting: string | null | undefined
function mountUnavailable(): string | null {
  if (mounting === undefined) mounting = tryToMount()
  return mounting
}

const run = (program: string, ...words: string[]) => execFileSync(program, words, { stdio: 'ignore' })

function tryToMount(): string | null {
  const folder = mkdtempSync(join(tmpdir(), 'claimkeeper-mount-'))
  try {
    run('mount', '-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder)
    run('umount', folder)
    return null
  } catch {
    return 'this user is not allowed to mount a disk'
  } finally {
    rmdirSync(folder)
  }
}

export const diskFull: LocalFault = {
  name: 'disk-full',
  requires: 'small disk',
  unavailable: mountUnavailable,
  inject: (testbed, random, signal) =>
    testbed.postgres.runExclusive(async () => {
      const { disk } = testbed
      if (disk === null) return null
      const clear = testbed.onRecover(() => disk.clear())
      try {
        await disk.fill()
        const ms = random.int(300, 1_500)
        await wait(ms, signal)
        return (await hasRoom(testbed)) ? null : `the disk full for ${seconds(ms)}`
      } finally {
        await clear()
        await testbed.startDatabase()
      }
    }),
}

/** Whether PostgreSQL can write. Its log is on the same disk, so the log does not show it. */
async function hasRoom({ postgres }: LocalTestbed): Promise<boolean> {
  const client = await postgres.connect().catch(() => null)
  try {
    await client?.query(
      "CREATE TEMPORARY TABLE room AS SELECT repeat('x', 1000) FROM generate_series(1, 5000)",
    )
    return client !== null
  } catch {
    return false
  } finally {
    await client?.end().catch(() => {})
  }
}
