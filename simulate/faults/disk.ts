import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { RealStage } from '../stage/real-stage.ts'
import { type RealFault, seconds, wait } from './moments.ts'

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
    return 'this user may not mount a disk'
  } finally {
    rmdirSync(folder)
  }
}

export const diskFull: RealFault = {
  name: 'disk-full',
  need: 'small disk',
  unavailable: mountUnavailable,
  strike: (stage, random, signal) =>
    stage.postgres.alone(async () => {
      const { disk } = stage
      if (disk === null) return null
      const clear = stage.untilCalm(() => disk.clear())
      try {
        await disk.fill()
        const ms = random.int(300, 1_500)
        await wait(ms, signal)
        return (await hasRoom(stage)) ? null : `the disk full for ${seconds(ms)}`
      } finally {
        await clear()
        await stage.startDatabase()
      }
    }),
}

/** Whether PostgreSQL can write. Its log is on the same disk, so the log does not show it. */
async function hasRoom({ postgres }: RealStage): Promise<boolean> {
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
