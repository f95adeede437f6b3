import Table from 'cli-table3'
import { hunt, type Verdict } from './mutants/hunt.ts'
import { huntByTests, SERVICE_TESTS } from './mutants/hunt-by-tests.ts'
import type { Mutant } from './mutants/mutant.ts'
import { mutated, Plot } from './mutants/plant.ts'
import { MUTANTS } from './mutants.ts'

interface MutantOptions {
  /** Words in the names of the mutants to try. Null for all. */
  words: string | null
  /** Folder of PostgreSQL programs with Citus. Null: mutants that need it are skipped. */
  citus: string | null
  /** The test suite that must find them. Null for the simulator and the fuzzer. */
  suite: string | null
  /** Patterns of test files. Null for all tests of the service. */
  tests: readonly string[] | null
  /** Number of parallel jobs. */
  jobs: number
  say: (line: string) => void
}

/** Plants each defect in a copy of the tree and lets the simulator, the fuzzer or a suite of tests look for it. Returns the status. */
export async function tryMutants(options: MutantOptions): Promise<number> {
  const { words, citus, suite, jobs, say } = options
  const tests = options.tests ?? [SERVICE_TESTS]
  const named = MUTANTS.filter(({ name }) => words === null || name.includes(words))
  const mutants = named.filter(({ onCitus }) => !onCitus || citus !== null)
  for (const { name } of named.filter((mutant) => !mutants.includes(mutant)))
    say(`left out: ${name} (it takes --citus)`)
  if (mutants.length === 0) throw new Error(`there is no mutant like ${words}`)
  // All first: a stale mutant must not be noticed only after an hour.
  for (const mutant of mutants) mutated(mutant)
  const verdicts = new Map<Mutant, Verdict>()
  const next = mutants.values()
  const look = (folder: string, mutant: Mutant) =>
    suite === null ? hunt(folder, mutant, citus) : huntByTests(folder, mutant, suite, tests)
  const hear = (verdict: Verdict) => {
    verdicts.set(verdict.mutant, verdict)
    say(lineOf(verdict))
  }
  await Promise.all(Array.from({ length: jobs }, () => workThrough(next, look, hear)))
  console.log(
    tableOf(
      mutants.flatMap((mutant) => verdicts.get(mutant) ?? []),
      suite,
    ),
  )
  const survivors = [...verdicts.values()].filter(({ killedAfter }) => killedAfter === null)
  console.log(`${mutants.length - survivors.length} of ${mutants.length} were found.`)
  return survivors.length === 0 ? 0 : 1
}

/** One after the other, in a copy of the tree. */
async function workThrough(
  mutants: Iterable<Mutant>,
  look: (folder: string, mutant: Mutant) => Promise<Verdict>,
  hear: (verdict: Verdict) => void,
): Promise<void> {
  const plot = await Plot.make()
  try {
    for (const mutant of mutants) hear(await plot.with(mutant, () => look(plot.folder, mutant)))
  } finally {
    await plot.remove()
  }
}

const timeOf = ({ killedAfter }: Verdict) => (killedAfter === null ? 'NOT FOUND' : `${killedAfter} s`)

const lineOf = (verdict: Verdict) => `${timeOf(verdict)}: ${verdict.mutant.name} (${verdict.how})`

function tableOf(verdicts: readonly Verdict[], suite: string | null): string {
  const table = new Table({
    head: ['defect', 'found after', 'by', 'as'],
    style: { head: [], border: [] },
    wordWrap: true,
    colWidths: [50, 13, 11, 70],
  })
  for (const verdict of verdicts) {
    const { name, by = 'simulate' } = verdict.mutant
    table.push([name, timeOf(verdict), suite ?? by, verdict.how])
  }
  return table.toString()
}
