/*
 * npm run bench:compare -- COMMIT: this checkout against another commit, by turns (ABBA …), and the ratio of each pair.
 * Each turn runs the benchmark of its own commit, in a process of its own, so that load and schema fit the server. The
 * other commit is checked out and installed in a temporary folder. Nothing else should run on the machine.
 */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import Table from 'cli-table3'
import { Command } from 'commander'
import { describeMachine } from './machine.ts'
import { median } from './measured.ts'
import { writeJson } from './results.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const PARTS = ['rest', 'single', 'batch', 'creation', 'check']
/** What is compared: the first are better the higher they are, the others the lower. */
const FIGURES = {
  higher: ['single_events_per_second', 'batch_events_per_second', 'creations_per_second'],
  lower: [
    'single_p99_ms_at_half_rate',
    'creation_p99_ms_at_half_rate',
    'check_seconds_per_million',
    'submit_p99_ms_during_check',
    'server_at_rest_mb',
    'single_server_rss_mb',
    'batch_server_rss_mb',
    'creation_server_rss_mb',
    'check_server_rss_mb',
  ],
}
const NAMES = [...FIGURES.higher, ...FIGURES.lower]

type Figures = Record<string, number | null>
type Side = 'other' | 'this'

const git = (...args: string[]) => execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim()

async function run(cwd: string, command: string, args: readonly string[]): Promise<void> {
  const child = spawn(command, args, { cwd, stdio: ['ignore', 'inherit', 'inherit'] })
  const [status] = await once(child, 'exit')
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} in ${cwd} ended with ${status}`)
}

/** One turn in this checkout, by its own benchmark. */
async function takeTurn(checkout: string, json: string): Promise<Figures> {
  const node = join(checkout, 'node_modules', '.bin', 'node')
  await run(checkout, node, ['scripts/build.ts', '--if-stale'])
  await run(checkout, node, ['bench/run.ts', ...PARTS, '--turn', '--json', json])
  return JSON.parse(await readFile(json, 'utf8'))
}

/** Runs the turns. Each pair has both commits, and the first of a pair is the last of the next. */
async function takeTurns(other: string, folder: string, pairs: number): Promise<Record<Side, Figures>[]> {
  const taken: Record<Side, Figures>[] = []
  for (let pair = 0; pair < pairs; pair++) {
    const figures = {} as Record<Side, Figures>
    for (const side of pair % 2 === 0 ? (['other', 'this'] as const) : (['this', 'other'] as const)) {
      console.log(`--- pair ${pair + 1} of ${pairs}: ${side} commit`)
      figures[side] = await takeTurn(side === 'this' ? ROOT : other, join(folder, 'turn.json'))
    }
    taken.push(figures)
  }
  return taken
}

interface Comparison {
  other: number[]
  this: number[]
  /** Of this commit to the other one: the median of the pairs. */
  ratio: number | null
}

function compare(pairs: readonly Record<Side, Figures>[], name: string): Comparison {
  const known = pairs
    .map((pair) => [pair.other[name], pair.this[name]])
    .filter((pair): pair is [number, number] => pair.every((value) => typeof value === 'number'))
  const ratios = known.map(([other, own]) => own / other)
  return {
    other: known.map(([other]) => other),
    this: known.map(([, own]) => own),
    ratio: ratios.length > 0 ? Number(median(ratios).toFixed(3)) : null,
  }
}

function tableOf(comparisons: Record<string, Comparison>): string {
  const table = new Table({
    head: ['figure', 'better', 'other commit', 'this commit', 'ratio'],
    style: { head: [], border: [], compact: true },
    colAligns: ['left', 'left', 'right', 'right', 'right'],
  })
  for (const [name, { other, this: own, ratio }] of Object.entries(comparisons))
    table.push([
      name,
      FIGURES.higher.includes(name) ? 'higher' : 'lower',
      other.join(' '),
      own.join(' '),
      `${ratio ?? ''}`,
    ])
  return table.toString()
}

async function compareWith(commit: string, { pairs, json }: { pairs: string; json: string }): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'claimkeeper-compare-'))
  const other = join(folder, 'other')
  try {
    git('worktree', 'add', '--detach', other, commit)
    await run(other, 'npm', ['ci'])
    const machine = describeMachine()
    const taken = await takeTurns(other, folder, Number(pairs))
    const figures = Object.fromEntries(NAMES.map((name) => [name, compare(taken, name)]))
    console.log(tableOf(figures))
    const commits = { other: git('rev-parse', commit), this: git('rev-parse', 'HEAD') }
    await writeJson(resolve(json), { measured_at: new Date(), machine, commits, figures })
    console.log(`Written to ${json}`)
  } finally {
    execFileSync('git', ['worktree', 'remove', '--force', other], { cwd: ROOT, stdio: 'ignore' })
    await rm(folder, { recursive: true, force: true })
  }
}

await new Command('npm run bench:compare --')
  .description(
    'Compares this checkout with another commit, by turns. A pair of turns takes about ten minutes.',
  )
  .argument('<commit>', 'commit, branch or tag; its bench/run.ts must have the option --turn')
  .option('--pairs <number>', 'runs of each commit', '3')
  .option('--json <file>', 'where the result is written', join(ROOT, 'bench/results/comparison.json'))
  .action(compareWith)
  .parseAsync()
