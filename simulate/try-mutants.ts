import { spawn } from 'node:child_process'
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import Table from 'cli-table3'
import { MUTANTS, type Mutant } from './mutants.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const COPIED = [
  'src',
  'simulate',
  'bench',
  'tests',
  'scripts',
  'bin',
  'package.json',
  'tsconfig.json',
  'tsconfig.build.json',
  'openapi.json',
]
const LINKED = ['node_modules', 'dashboard']
const PATIENCE_MS = 300_000
const RUN_SECONDS = 30
/** A run that hangs is no finding of the simulator. */
const LONGEST_RUN_MS = 240_000

interface Verdict {
  name: string
  /** Null: it survived. */
  killedAfter: number | null
  how: string
}

/** Plants each defect in a copy of the tree, one at a time, and lets the simulator look for it. Returns the status. */
export async function tryMutants(chosen: string | null, say: (line: string) => void): Promise<number> {
  const mutants = MUTANTS.filter(({ name }) => chosen === null || name.includes(chosen))
  const verdicts: Verdict[] = []
  const folder = await mkdtemp(join(tmpdir(), 'claimkeeper-mutants-'))
  try {
    for (const name of COPIED) await cp(join(ROOT, name), join(folder, name), { recursive: true })
    for (const name of LINKED) await symlink(join(ROOT, name), join(folder, name))
    for (const mutant of mutants) {
      const verdict = await tryOne(folder, mutant)
      verdicts.push(verdict)
      say(
        `${verdict.killedAfter === null ? 'SURVIVED' : `killed after ${verdict.killedAfter} s`}: ${mutant.name} (${verdict.how})`,
      )
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
  console.log(tableOf(verdicts))
  return verdicts.every(({ killedAfter }) => killedAfter !== null) ? 0 : 1
}

async function tryOne(folder: string, mutant: Mutant): Promise<Verdict> {
  const before = new Map<string, string>()
  for (const { file, find, replace } of mutant.edits) {
    const path = join(folder, file)
    const text = await readFile(path, 'utf8')
    if (!before.has(path)) before.set(path, text)
    if (text.split(find).length !== 2)
      throw new Error(`${mutant.name}: ${file} has not one place like ${find}`)
    await writeFile(
      path,
      text.replace(find, () => replace),
    )
  }
  try {
    return await hunt(folder, mutant)
  } finally {
    for (const [path, text] of before) await writeFile(path, text)
  }
}

async function hunt(folder: string, { name, faults = 'none' }: Mutant): Promise<Verdict> {
  const built = await run(folder, ['scripts/build.ts', '--if-stale'])
  if (built.status !== 0)
    return { name, killedAfter: null, how: `it does not build: ${built.output.slice(0, 500)}` }
  const startedAt = performance.now()
  for (let seed = 1; performance.now() - startedAt < PATIENCE_MS; seed++) {
    const options = ['--seed', `${seed}`, '--seconds', `${RUN_SECONDS}`, '--servers', '2', '--faults', faults]
    const { status, output } = await run(folder, ['simulate/run.ts', '--no-shrink', ...options])
    const killedAfter = Math.round((performance.now() - startedAt) / 1000)
    const said = /FINDING: (.*)/.exec(output)?.[1]
    if (said) return { name, killedAfter, how: said.slice(0, 160) }
    // A server that does not even start is found by everybody.
    if (status !== 0) return { name, killedAfter, how: `status ${status}: ${output.slice(-300)}` }
  }
  return { name, killedAfter: null, how: 'nothing was found' }
}

function run(folder: string, args: readonly string[]): Promise<{ status: number | null; output: string }> {
  const child = spawn(process.execPath, args, { cwd: folder, timeout: LONGEST_RUN_MS, killSignal: 'SIGTERM' })
  let output = ''
  child.stdout.on('data', (chunk) => {
    output += chunk
  })
  child.stderr.on('data', (chunk) => {
    output += chunk
  })
  return new Promise((resolve) => child.once('close', (status) => resolve({ status, output })))
}

function tableOf(verdicts: readonly Verdict[]): string {
  const table = new Table({
    head: ['defect', 'killed after', 'by'],
    style: { head: [], border: [] },
    wordWrap: true,
    colWidths: [50, 14, 70],
  })
  for (const { name, killedAfter, how } of verdicts) {
    table.push([name, killedAfter === null ? 'SURVIVED' : `${killedAfter} s`, how])
  }
  return table.toString()
}
