import { relative } from 'node:path'
import type { TestEvent } from 'node:test/reporters'
import { inspect, styleText } from 'node:util'
import Table from 'cli-table3'

/*
 * The reporter of the test runner: a line per file as it ends, each failure in full with the command that repeats it,
 * skipped tests with their reasons, the slowest files, and the totals in lines that `.ci/run` adds up.
 */

type DataOf<Type> = Extract<TestEvent, { type: Type }>['data']
type Failed = DataOf<'test:fail'> & {
  /** The names of the suites and tests around it, joined by dots. */
  classname?: string
}

const SLOWEST_FILES = 10
/** Above the limit of one test (`run-tests.ts`). */
const MAX_SILENCE_MS = Number(process.env.CLAIMKEEPER_TEST_MAX_SILENCE_MS ?? 1_200_000)
const FILES = process.env.CLAIMKEEPER_TEST_FILES?.split('\n') ?? []
/** With `--name`, files without a matching test report nothing. */
const HAS_PATTERN = process.execArgv.some((option) => option.startsWith('--test-name-pattern'))
/** How node:test reports an error that was thrown after its test ended. */
const STRAY_ERROR = /^(Error|Warning): /

const isFile = ({ nesting, name }: { nesting: number; name: string }) =>
  nesting === 0 && name.startsWith('tests/')
const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`

export default async function* report(source: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const failures: string[] = []
  const skipped = new Map<string, number>()
  const files: { name: string; ms: number }[] = []
  let tests = 0
  const silence = setTimeout(endRun, MAX_SILENCE_MS).unref()
  for await (const event of source) {
    silence.refresh()
    const { type } = event
    if (type === 'test:stdout' || type === 'test:stderr') yield event.data.message
    if (type === 'test:diagnostic' && STRAY_ERROR.test(event.data.message)) {
      failures.push(`${styleText('red', '✖ after a test')}\n    ${event.data.message}\n`)
      yield failures.at(-1) as string
    }
    if (type === 'test:summary' && event.data.file === undefined) {
      failures.push(...missingResults(files, tests))
      // Failures that node:test does not count must fail the run too.
      if (failures.length > 0) process.exitCode = 1
      yield summaryOf(event.data, failures, skipped, files)
    }
    if (type !== 'test:pass' && type !== 'test:fail') continue
    const { data } = event
    // node:test reports a process without tests as a test.
    if (data.details.type !== 'suite' && !data.name.endsWith('.mjs')) tests++
    if (typeof data.skip === 'string') skipped.set(data.skip, (skipped.get(data.skip) ?? 0) + 1)
    const failure = type === 'test:fail' ? failureOf(event.data) : null
    if (failure !== null) {
      failures.push(failure)
      yield failure
    }
    if (!isFile(data)) continue
    files.push({ name: data.name, ms: data.details.duration_ms })
    const mark = type === 'test:pass' ? styleText('green', '✔') : styleText('red', '✖')
    yield `${mark} ${`${files.length}`.padStart(4)}/${FILES.length}  ${data.name}  ${styleText('dim', seconds(data.details.duration_ms))}\n`
  }
}

/**
 * `node --test` waits for a process that hangs outside its tests, and for each process that holds the output of an ended test
 * process. `--test-timeout` limits neither. SIGTERM cancels the run and ends its test processes.
 */
function endRun(): void {
  console.error(`No test has reported for ${seconds(MAX_SILENCE_MS)}. The run ends.`)
  process.exitCode = 1
  process.kill(process.pid, 'SIGTERM')
}

/** Null for a test that failed only because one within it did. */
function failureOf({ name, classname = '', file = '', details }: Failed): string | null {
  const error: Error & { failureType?: string } = details.error
  if (error.failureType === 'subtestsFailed') return null
  // A test may be defined in a module that its file imports.
  const path = /^tests\/\S+?\.test\.ts/.exec(classname || name)?.[0] ?? relative('', file)
  const title = [classname, name].filter(Boolean).join(' › ')
  return [
    styleText('red', `✖ ${title}`),
    inspect(error.cause ?? error, { colors: process.stdout.isTTY }).replaceAll(/^/gm, '    '),
    ...(path.startsWith('tests/') ? [styleText('bold', `    Repeat: npm test -- ${path}`)] : []),
    '',
  ].join('\n')
}

/** Failures that no test reports: a file that did not end, or a pattern that matches no test name. */
function missingResults(files: readonly { name: string }[], tests: number): string[] {
  if (HAS_PATTERN) return tests > 0 ? [] : [`${styleText('red', '✖ no test name matches the pattern')}\n`]
  const ended = new Set(files.map(({ name }) => name))
  return FILES.filter((name) => !ended.has(name)).map(
    (name) => `${styleText('red', `✖ ${name}`)}\n    The process ended before this file did.\n`,
  )
}

function summaryOf(
  { counts, duration_ms }: DataOf<'test:summary'>,
  failures: readonly string[],
  skipped: ReadonlyMap<string, number>,
  files: readonly { name: string; ms: number }[],
): string {
  const slowest = new Table({
    head: ['slowest files', 'took'],
    style: { head: [], border: [], compact: true },
  })
  for (const { name, ms } of files.toSorted((a, b) => b.ms - a.ms).slice(0, SLOWEST_FILES))
    slowest.push([name, { content: seconds(ms), hAlign: 'right' }])
  const { passed, skipped: left } = counts
  return [
    '',
    slowest.toString(),
    ...[...skipped].map(([reason, count]) => styleText('yellow', `skipped ${count}: ${reason}`)),
    // Repeated here, next to the totals.
    ...(failures.length > 0 ? [styleText('red', 'failed:'), ...failures] : []),
    `${passed} passed, ${failures.length} failed, ${left} skipped in ${seconds(duration_ms)}`,
    '',
  ].join('\n')
}
