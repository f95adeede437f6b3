import { execFileSync } from 'node:child_process'
import { existsSync, globSync, mkdtempSync, rmdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type RealFault, seconds, wait } from './moments.ts'

/** Debian's package `fiu-utils`: makes calls of the C library fail. */
const FIU = ['/usr/lib/fiu/fiu_run_preload.so', '/usr/lib/fiu/fiu_posix_preload.so']
const EIO = 5

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

/** What PostgreSQL writes does not get to the disk, as the kernel tells it: it ends all sessions and recovers. */
export const syncFails: RealFault = {
  name: 'sync-fails',
  unavailable: () =>
    process.platform === 'linux' &&
    FIU.every((path) => existsSync(path)) &&
    globSync('/usr/lib/libfiu.so.*').length > 0
      ? null
      : 'libfiu is not installed (the package fiu-utils)',
  strike: (stage, random, signal) =>
    stage.postgres.alone(async () => {
      const { postgres } = stage
      const failures = () => postgres.countInLog(/PANIC: +could not f(?:data)?sync/)
      const before = await failures()
      const point = random.pick(['fdatasync', 'fsync'])
      const comeBack = stage.untilCalm(() => postgres.start())
      try {
        await postgres.stop('fast')
        // It may fail so soon that it never becomes ready.
        await postgres.start(failing(point, random.pick([0.02, 0.2]))).catch(() => {})
        // In its own time it writes out little.
        if (point === 'fsync') void stage.sql('CHECKPOINT').catch(() => {})
        await wait(random.int(1_000, 4_000), signal)
        await postgres.stop('immediate')
        const failed = (await failures()) - before
        return failed === 0 ? null : `${point} failed ${failed} times, and PostgreSQL recovered`
      } finally {
        await comeBack()
      }
    }),
}

const failing = (point: string, probability: number): Record<string, string> => ({
  LD_PRELOAD: FIU.join(':'),
  FIU_ENABLE: `enable_random name=posix/io/sync/${point},probability=${probability},failinfo=${EIO}`,
})
