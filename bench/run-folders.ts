import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { isAlive } from '../src/platform/database/embedded/is-alive.ts'
import type { Cleanup } from './cleanup.ts'

/** Temporary folders of runs. The name of a folder contains the process id of its run. */
export class RunFolders {
  readonly #prefix: string
  readonly #clearUp: (folder: string) => Promise<void>

  /** @param clearUp stops the processes that use a folder before it is removed */
  constructor(prefix: string, clearUp: (folder: string) => Promise<void>) {
    this.#prefix = prefix
    this.#clearUp = clearUp
  }

  /** Creates a folder in `place` that the clean-up removes. First removes the folders of killed runs. */
  async make(place: string, cleanup: Cleanup): Promise<string> {
    await this.removeLeftovers(place)
    const folder = await mkdtemp(join(place, `${this.#prefix}-${process.pid}-`))
    cleanup.add(() => this.#remove(folder))
    // If root starts PostgreSQL, it runs as another user, which needs access to the folder.
    await chmod(folder, 0o755)
    return folder
  }

  /** Removes the folders of runs whose process has ended, and stops their processes. */
  async removeLeftovers(place: string): Promise<void> {
    const pattern = new RegExp(`^${this.#prefix}-(\\d+)-`)
    for (const name of await readdir(place)) {
      const pid = Number(pattern.exec(name)?.[1])
      // Another run may be removing the same folder.
      if (pid && !isAlive(pid)) await this.#remove(join(place, name)).catch(() => {})
    }
  }

  async #remove(folder: string): Promise<void> {
    await this.#clearUp(folder)
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}
