import { globSync, readFileSync } from 'node:fs'
import { cp, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { locateEdit } from './locate-edit.ts'
import type { Mutant } from './mutant.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const COPIED = [
  'src',
  'simulate',
  'bench',
  'tests',
  'scripts',
  'bin',
  'package.json',
  'tsconfig.json',
  'openapi.json',
]
const LINKED = ['node_modules', 'dashboard', 'deploy', 'docs', 'examples', 'CHANGELOG.md', 'README.md']

/** The source files by path. */
export function readSources(): Map<string, string> {
  const files = globSync('src/**/*.ts', { cwd: ROOT })
  return new Map(files.map((file) => [file, readFileSync(join(ROOT, file), 'utf8')]))
}

/** The changed files by path. @throws unless the text of each edit occurs exactly once */
export function applyEdits({ name, edits }: Mutant, sources = readSources()): Map<string, string> {
  const changed = new Map<string, string>()
  for (const edit of edits) {
    try {
      const { file, start, end } = locateEdit(edit, new Map([...sources, ...changed]))
      const text = changed.get(file) ?? (sources.get(file) as string)
      changed.set(file, text.slice(0, start) + edit.replace + text.slice(end))
    } catch (error) {
      throw new Error(`${name}: ${(error as Error).message}`)
    }
  }
  return changed
}

/** A copy of the repository that contains one mutant at a time. */
export class SourceCopy {
  readonly folder: string

  private constructor(folder: string) {
    this.folder = folder
  }

  static async create(): Promise<SourceCopy> {
    const folder = await mkdtemp(join(tmpdir(), 'claimkeeper-mutants-'))
    for (const name of COPIED) await cp(join(ROOT, name), join(folder, name), { recursive: true })
    for (const name of LINKED) await symlink(join(ROOT, name), join(folder, name))
    return new SourceCopy(folder)
  }

  /** Runs the work with the mutant in the copy, then restores the files. */
  async withMutant<T>(mutant: Mutant, work: () => Promise<T>): Promise<T> {
    const texts = applyEdits(mutant)
    try {
      for (const [file, text] of texts) await writeFile(join(this.folder, file), text)
      return await work()
    } finally {
      for (const file of texts.keys()) await cp(join(ROOT, file), join(this.folder, file))
    }
  }

  remove(): Promise<void> {
    return rm(this.folder, { recursive: true, force: true })
  }
}
