import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findLog } from '../../src/backtest/log/open-log.ts'
import { resultJson } from '../../src/backtest/report/result-json.ts'
import { all, contractWith, not } from '../support/contracts.ts'
import { type BacktestOptions, runBacktest } from '../support/source/backtest.ts'
import type { Contract } from '../support/source/contracts.ts'
import type { Scope } from '../support/test-database.ts'

/** The log and the contract that the project brings along, and a contract with windows of hours. */
export const SAMPLE_LOG = fileURLToPath(new URL('../../examples/sample-log.csv', import.meta.url))
export const SAMPLE_CONTRACT = fileURLToPath(new URL('../../examples/sample-contract.json', import.meta.url))
export const delivery: Contract = contractWith({
  activity_window: 4 * 3600,
  fulfillment_condition: all(
    { event: 'delivered', field: 'celsius', gte: 2, lte: 8 },
    { event: 'signed' },
    not({ event: 'damage_reported' }),
  ),
})

/** Writes files into a folder that goes with the test; returns the path of a name in it. */
export async function filesIn(
  t: Scope,
  files: Record<string, string | Uint8Array>,
): Promise<(name: string) => string> {
  const folder = await mkdtemp(join(tmpdir(), 'claimkeeper-backtest-'))
  t.after(() => rm(folder, { recursive: true }))
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content)
  return (name) => join(folder, name)
}

const SILENT = { start: () => {}, update: () => {}, end: () => {} }

/** A back-test in this process. */
export async function backtestOf(
  path: string,
  contracts: Contract[],
  options: Partial<BacktestOptions> = {},
) {
  const run: BacktestOptions = {
    contracts,
    format: 'csv',
    encoding: null,
    separator: null,
    decimal: '.',
    times: { format: null, zone: null },
    columns: { case: 'case_id', type: 'type', time: 'occurred_at' },
    isStrict: false,
    until: null,
    now: Date.UTC(2027),
    isSorted: false,
    ...options,
  }
  const backtest = await runBacktest(await findLog(path), run, SILENT)
  const files = contracts.map((_, i) => `contract-${i + 1}.json`)
  const calendar = run.calendar ? { ...run.calendar, file: 'calendar.json' } : null
  const result = { log: { file: 'log', format: 'any' }, until: run.until, calendar, files, backtest }
  return { backtest, result, json: JSON.parse(resultJson(result)) }
}
