import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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
      const { postgres, disk } = stage
      if (disk === null) return null
      const refusals = () => postgres.countInLog(/No space left on device/)
      const before = await refusals()
      const clear = stage.untilCalm(() => disk.clear())
      try {
        await disk.fill()
        const ms = random.int(500, 3_000)
        await wait(ms, signal)
        const refused = (await refusals()) - before
        return refused === 0 ? null : `the disk full for ${seconds(ms)}; PostgreSQL said so ${refused} times`
      } finally {
        await clear()
        await postgres.start()
      }
    }),
}
