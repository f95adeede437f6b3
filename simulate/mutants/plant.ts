import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
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
const LINKED = ['node_modules', 'dashboard']

/** The changed files' texts, by their paths. @throws where the source is not as the mutant expects it */
export async function mutated({ name, edits }: Mutant): Promise<Map<string, string>> {
  const texts = new Map<string, string>()
  for (const { file, find, replace } of edits) {
    const text = texts.get(file) ?? (await readFile(join(ROOT, file), 'utf8'))
    if (text.split(find).length !== 2) throw new Error(`${name}: ${file} has not one place like ${find}`)
    texts.set(
      file,
      text.replace(find, () => replace),
    )
  }
  return texts
}

/** A copy of the tree, in which one defect at a time is planted. */
export class Plot {
  readonly folder: string

  private constructor(folder: string) {
    this.folder = folder
  }

  static async make(): Promise<Plot> {
    const folder = await mkdtemp(join(tmpdir(), 'claimkeeper-mutants-'))
    for (const name of COPIED) await cp(join(ROOT, name), join(folder, name), { recursive: true })
    for (const name of LINKED) await symlink(join(ROOT, name), join(folder, name))
    return new Plot(folder)
  }

  /** It is planted for as long as the work takes. */
  async with<T>(mutant: Mutant, work: () => Promise<T>): Promise<T> {
    const texts = await mutated(mutant)
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
