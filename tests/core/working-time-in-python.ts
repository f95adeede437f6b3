import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import type { TestContext } from 'node:test'
import fc from 'fast-check'
import { caseAround, transitionsOf, type ZoneCase } from '../support/calendars.ts'
import { workingTime } from '../support/source/calendars.ts'
import { isTimeZone } from '../support/source/contracts.ts'

interface Answers {
  version: string
  /** Null if Python does not know the zone. */
  changes: Record<string, number[] | null>
  answers: { worked: number[]; due: number }[]
}

const SCRIPT = new URL('working-time.py', import.meta.url).pathname

function askPython(question: { zones: string[]; cases: ZoneCase[] }): Promise<Answers> {
  return new Promise((resolve, reject) => {
    const options = { maxBuffer: 1024 ** 3 }
    const child = execFile('python3', [SCRIPT], options, (error, stdout) =>
      error ? reject(error) : resolve(JSON.parse(stdout)),
    )
    child.stdin?.end(JSON.stringify(question))
  })
}

/** The zones that Python and the runtime change alike from 2020 to 2039; the test says which others there are. */
async function sharedZones(t: TestContext, zones: string[]): Promise<string[]> {
  const { version, changes } = await askPython({ zones, cases: [] })
  const isSame = (zone: string) =>
    JSON.stringify(changes[zone]) === JSON.stringify(transitionsOf(zone, 2020, 2040))
  const [shared, others] = [zones.filter(isSame), zones.filter((zone) => !isSame(zone))]
  const versions = `time zone data ${process.versions.tz} here, ${version} in Python`
  if (process.versions.tz === version) assert.deepEqual(others, [], versions)
  t.diagnostic(`${versions}; left out because their changes differ: ${others.join(', ') || 'none'}`)
  // Versions differ in a few zones.
  assert.ok(
    shared.length >= zones.length * 0.8,
    `${versions}: ${others.length} of ${zones.length} zones differ`,
  )
  return shared
}

/**
 * Compares working time around changes of the clocks with a calculation in Python.
 * @param everyNth of all changes, from a random one on
 * @param runs random calendars and times at each change
 */
export async function comparesWithPython(t: TestContext, everyNth: number, runs: number): Promise<void> {
  const seed = Math.floor(Math.random() * 2 ** 31)
  const changes = Intl.supportedValuesOf('timeZone')
    .filter(isTimeZone)
    .flatMap((zone) => [Date.UTC(2026, 6), ...transitionsOf(zone, 2020, 2040)].map((at) => ({ zone, at })))
    .filter((_, i) => i % everyNth === seed % everyNth)
  const zones = new Set(await sharedZones(t, [...new Set(changes.map(({ zone }) => zone))]))
  const cases = changes
    .filter(({ zone }) => zones.has(zone))
    .flatMap(({ zone, at }, i) => fc.sample(caseAround(zone, at), { numRuns: runs, seed: seed + i }))
  const { answers } = await askPython({ zones: [], cases })
  for (const [i, { calendar, times, budgetMs }] of cases.entries()) {
    const time = workingTime(calendar)
    const worked = times.slice(1).map((to, j) => time.workingMsBetween(times[j] as number, to))
    const due = time.endOfBudget(times[0] as number, budgetMs)
    assert.deepEqual({ worked, due }, answers[i], `seed ${seed}: ${JSON.stringify(cases[i])}`)
  }
  t.diagnostic(`${cases.length} calendars in ${zones.size} zones, seed ${seed}`)
}
