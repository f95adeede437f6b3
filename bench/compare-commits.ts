/*
 * npm run bench:compare -- COMMIT: compares this checkout with another commit. The runs alternate (ABBA …), so that a slow
 * drift of the machine affects both. Each run uses the benchmark of its own commit in its own process, so that load and
 * schema fit the server. The other commit is checked out and installed in a temporary folder. Nothing else should run on
 * the machine.
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
const BENCHMARKS = ['rest', 'single', 'batch', 'creation', 'check']
/** The compared figures, by the direction that is better. */
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
const FIGURE_NAMES = [...FIGURES.higher, ...FIGURES.lower]

type Figures = Record<string, number | null>
type Side = 'other' | 'this'

const git = (...args: string[]) => execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim()

async function run(cwd: string, command: string, args: readonly string[]): Promise<void> {
  const child = spawn(command, args, { cwd, stdio: ['ignore', 'inherit', 'inherit'] })
  const [status] = await once(child, 'exit')
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} in ${cwd} ended with ${status}`)
}

/** Runs the benchmarks of a checkout once. */
async function runBenchmarks(checkout: string, json: string): Promise<Figures> {
  const node = join(checkout, 'node_modules', '.bin', 'node')
  await run(checkout, node, ['scripts/build.ts', '--if-stale'])
  await run(checkout, node, ['bench/run.ts', ...BENCHMARKS, '--turn', '--json', json])
  return JSON.parse(await readFile(json, 'utf8'))
}

/** Runs both commits in each pair. The commit that ran last in a pair runs first in the next pair. */
async function runPairs(other: string, folder: string, pairs: number): Promise<Record<Side, Figures>[]> {
  const measured: Record<Side, Figures>[] = []
  for (let pair = 0; pair < pairs; pair++) {
    const figures = {} as Record<Side, Figures>
    for (const side of pair % 2 === 0 ? (['other', 'this'] as const) : (['this', 'other'] as const)) {
      console.log(`--- pair ${pair + 1} of ${pairs}: ${side} commit`)
      figures[side] = await runBenchmarks(side === 'this' ? ROOT : other, join(folder, 'run.json'))
    }
    measured.push(figures)
  }
  return measured
}

interface Comparison {
  other: number[]
  this: number[]
  /** The median of the pairs: the figure of this commit divided by the figure of the other commit. */
  ratio: number | null
}

function compare(pairs: readonly Record<Side, Figures>[], name: string): Comparison {
  const complete = pairs
    .map((pair) => [pair.other[name], pair.this[name]])
    .filter((pair): pair is [number, number] => pair.every((value) => typeof value === 'number'))
  const ratios = complete.map(([other, own]) => own / other)
  return {
    other: complete.map(([other]) => other),
    this: complete.map(([, own]) => own),
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
    const measured = await runPairs(other, folder, Number(pairs))
    const figures = Object.fromEntries(FIGURE_NAMES.map((name) => [name, compare(measured, name)]))
    console.log(tableOf(figures))
    const commits = { other: git('rev-parse', commit), this: git('rev-parse', 'HEAD') }
    await writeJson(resolve(json), { measured_at: new Date(), machine, commits, figures })
    console.log(`Written to ${json}`)
  } finally {
    await rm(folder, { recursive: true, force: true })
    git('worktree', 'prune')
  }
}

await new Command('npm run bench:compare --')
  .description(
    'Compares this checkout with another commit, in alternating runs. A pair of runs takes about ten minutes.',
  )
  .argument('<commit>', 'commit, branch or tag; its bench/run.ts must have the option --turn')
  .option('--pairs <number>', 'runs of each commit', '3')
  .option('--json <file>', 'where the result is written', join(ROOT, 'bench/results/comparison.json'))
  .action(compareWith)
  .parseAsync()
