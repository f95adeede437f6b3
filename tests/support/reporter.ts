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
const FILES = Number(process.env.CLAIMKEEPER_TEST_FILES)

const isFile = ({ nesting, name }: { nesting: number; name: string }) =>
  nesting === 0 && name.startsWith('tests/')
const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`

export default async function* report(source: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const failures: string[] = []
  const skipped = new Map<string, number>()
  const files: { name: string; ms: number }[] = []
  for await (const event of source) {
    const { type } = event
    if (type === 'test:stdout' || type === 'test:stderr') yield event.data.message
    if (type === 'test:summary' && event.data.file === undefined)
      yield end(event.data, failures, skipped, files)
    if (type !== 'test:pass' && type !== 'test:fail') continue
    const { data } = event
    if (typeof data.skip === 'string') skipped.set(data.skip, (skipped.get(data.skip) ?? 0) + 1)
    const failure = type === 'test:fail' ? failureOf(event.data) : null
    if (failure !== null) {
      failures.push(failure)
      yield failure
    }
    if (!isFile(data)) continue
    files.push({ name: data.name, ms: data.details.duration_ms })
    const mark = type === 'test:pass' ? styleText('green', '✔') : styleText('red', '✖')
    yield `${mark} ${`${files.length}`.padStart(4)}/${FILES}  ${data.name}  ${styleText('dim', seconds(data.details.duration_ms))}\n`
  }
}

/** Null for a test that failed only because one within it did. */
function failureOf({ name, classname = '', file = '', details }: Failed): string | null {
  const error: Error & { failureType?: string } = details.error
  if (error.failureType === 'subtestsFailed') return null
  // A test may be defined in a module that its file imports.
  const path = /^tests\/\S+?\.test\.ts/.exec(classname)?.[0] ?? relative('', file)
  const title = [classname, name].filter(Boolean).join(' › ')
  return [
    styleText('red', `✖ ${title}`),
    inspect(error.cause ?? error, { colors: process.stdout.isTTY }).replaceAll(/^/gm, '    '),
    ...(path.startsWith('tests/') ? [styleText('bold', `    Repeat: npm test -- ${path}`)] : []),
    '',
  ].join('\n')
}

function end(
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
  const { tests, passed, skipped: left } = counts
  return [
    '',
    slowest.toString(),
    ...[...skipped].map(([reason, count]) => styleText('yellow', `skipped ${count}: ${reason}`)),
    // Once more, beside the totals.
    ...(failures.length > 0 ? [styleText('red', 'failed:'), ...failures] : []),
    `${passed} passed, ${tests - passed - left} failed, ${left} skipped in ${seconds(duration_ms)}`,
    '',
  ].join('\n')
}
