import { globSync, readdirSync, rmSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isAlive } from '../../src/platform/database/embedded/is-alive.ts'

/** Debian package `faketime`, the library for programs with threads. */
const [LIBRARY] = process.platform === 'linux' ? globSync('/usr/lib/*/faketime/libfaketimeMT.so.1') : []

export const clocksUnavailable = (): string | null =>
  LIBRARY === undefined ? 'libfaketime is not installed (the package faketime)' : null

const SHARED_FOLDER = '/dev/shm'
const SHARED = /^(?:sem\.faketime_sem|faketime_shm)_(\d+)$/

/** Removes shared memory of ended processes. A process with a reused id would wait for it forever. */
export function removeStaleSharedMemory(): void {
  if (LIBRARY === undefined) return
  for (const name of readdirSync(SHARED_FOLDER)) {
    const pid = Number(SHARED.exec(name)?.[1])
    if (pid && !isAlive(pid)) rmSync(join(SHARED_FOLDER, name), { force: true })
  }
}

/** The wall clock of some processes. Their monotonic clock, and so their timers, do not change. */
export class Clock {
  readonly #file: string

  private constructor(file: string) {
    this.#file = file
  }

  static async make(folder: string, name: string): Promise<Clock> {
    const clock = new Clock(join(folder, `${name}.clock`))
    await clock.step(0)
    return clock
  }

  /** Environment of the processes with this clock. */
  get environment(): Record<string, string> {
    return {
      LD_PRELOAD: LIBRARY ?? '',
      FAKETIME_TIMESTAMP_FILE: this.#file,
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      // The file is read again after a second.
      FAKETIME_CACHE_DURATION: '1',
      // A process that is killed while it reads a file would hold the library's semaphore forever.
      NO_FAKE_STAT: '1',
      // Supported only after version 0.9.10.
      FAKETIME_DISABLE_SHM: '1',
    }
  }

  /** Steps the clock by seconds, negative for backward, accurate to a second or two. */
  step(seconds: number): Promise<void> {
    return writeFile(this.#file, `${seconds < 0 ? '' : '+'}${seconds}\n`, { mode: 0o644 })
  }
}
