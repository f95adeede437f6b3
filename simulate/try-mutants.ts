import Table from 'cli-table3'
import { findBySimulation } from './mutants/find-by-simulation.ts'
import { findByTests, SERVICE_TESTS } from './mutants/find-by-tests.ts'
import type { Mutant } from './mutants/mutant.ts'
import type { MutantResult } from './mutants/mutant-run.ts'
import { applyEdits, SourceCopy } from './mutants/source-copy.ts'
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
  log: (line: string) => void
}

/**
 * Mutation testing: runs the simulator, the fuzzer or a test suite on each mutant. Returns the exit status: 0 if all
 * were killed.
 */
export async function tryMutants(options: MutantOptions): Promise<number> {
  const { words, citus, suite, jobs, log } = options
  const tests = options.tests ?? [SERVICE_TESTS]
  const named = MUTANTS.filter(({ name }) => words === null || name.includes(words))
  const mutants = named.filter(({ onCitus }) => !onCitus || citus !== null)
  for (const { name } of named.filter((mutant) => !mutants.includes(mutant)))
    log(`skipped: ${name} (needs --citus)`)
  if (mutants.length === 0) throw new Error(`no mutant has a name with ${words}`)
  // Fails now rather than after an hour if a mutant does not match the source.
  for (const mutant of mutants) applyEdits(mutant)
  const results = new Map<Mutant, MutantResult>()
  const queue = mutants.values()
  const find = (folder: string, mutant: Mutant) =>
    suite === null ? findBySimulation(folder, mutant, citus) : findByTests(folder, mutant, suite, tests)
  const onResult = (result: MutantResult) => {
    results.set(result.mutant, result)
    log(`${timeOf(result)}: ${result.mutant.name} (${result.message})`)
  }
  await Promise.all(Array.from({ length: jobs }, () => tryEach(queue, find, onResult)))
  const inOrder = mutants.flatMap((mutant) => results.get(mutant) ?? [])
  console.log(tableOf(inOrder, suite))
  const survivors = inOrder.filter(({ killedAfterS }) => killedAfterS === null)
  console.log(`${mutants.length - survivors.length} of ${mutants.length} were found.`)
  return survivors.length === 0 ? 0 : 1
}

async function tryEach(
  mutants: Iterable<Mutant>,
  find: (folder: string, mutant: Mutant) => Promise<MutantResult>,
  onResult: (result: MutantResult) => void,
): Promise<void> {
  const copy = await SourceCopy.create()
  try {
    for (const mutant of mutants) onResult(await copy.withMutant(mutant, () => find(copy.folder, mutant)))
  } finally {
    await copy.remove()
  }
}

const timeOf = ({ killedAfterS }: MutantResult) => (killedAfterS === null ? 'NOT FOUND' : `${killedAfterS} s`)

function tableOf(results: readonly MutantResult[], suite: string | null): string {
  const table = new Table({
    head: ['mutant', 'found after', 'by', 'message'],
    style: { head: [], border: [] },
    wordWrap: true,
    colWidths: [50, 13, 11, 70],
  })
  for (const result of results) {
    const { name, by = 'simulate' } = result.mutant
    table.push([name, timeOf(result), suite ?? by, result.message])
  }
  return table.toString()
}
