import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { isAlive } from '../src/platform/database/embedded/is-alive.ts'
import type { Cleanup } from './cleanup.ts'

/** Folders of runs, each with the process id of its run in its name. */
export class RunFolders {
  readonly #prefix: string
  readonly #clearUp: (folder: string) => Promise<void>

  /** @param clearUp ends what runs in a folder, before it is removed */
  constructor(prefix: string, clearUp: (folder: string) => Promise<void>) {
    this.#prefix = prefix
    this.#clearUp = clearUp
  }

  /** A new folder in `place` that goes at the end. What runs that were killed left behind goes first. */
  async make(place: string, cleanup: Cleanup): Promise<string> {
    await this.removeLeftovers(place)
    const folder = await mkdtemp(join(place, `${this.#prefix}-${process.pid}-`))
    cleanup.add(() => this.#remove(folder))
    // Started by root, PostgreSQL runs as another user, who must be able to enter.
    await chmod(folder, 0o755)
    return folder
  }

  /** Those of runs whose process is no more, and what they left running. */
  async removeLeftovers(place: string): Promise<void> {
    const ours = new RegExp(`^${this.#prefix}-(\\d+)-`)
    for (const name of await readdir(place)) {
      const pid = Number(ours.exec(name)?.[1])
      // Another run may be clearing up the same.
      if (pid && !isAlive(pid)) await this.#remove(join(place, name)).catch(() => {})
    }
  }

  async #remove(folder: string): Promise<void> {
    await this.#clearUp(folder)
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}
