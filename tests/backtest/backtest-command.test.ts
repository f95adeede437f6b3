import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { describe, test } from 'node:test'
import { parseSeparator } from '../../src/backtest/log/open-log.ts'
import { contractWith } from '../support/contracts.ts'
import { MAIN, runCli } from '../support/serve-process.ts'
import { runSharedCli } from '../support/shared-cli.ts'
import { filesIn, SAMPLE_CONTRACT, SAMPLE_LOG } from './backtest-files.ts'

const backtest = (...args: string[]) => runSharedCli(['backtest', ...args])

/** The sample contract with four hours in place of its one minute. */
async function fourHours(): Promise<string> {
  const contract = JSON.parse(await readFile(SAMPLE_CONTRACT, 'utf8'))
  return JSON.stringify({ ...contract, activity_window: 4 * 3600 })
}

describe('claimkeeper backtest', { concurrency: true }, () => {
  test('shows what a contract would have paid, the event types that it does not name and the nearest losers', async (t) => {
    const path = await filesIn(t, { 'contract.json': await fourHours() })
    const args = ['backtest', '--log', SAMPLE_LOG, '--contract', path('contract.json')]
    const { stdout, stderr, status } = await runCli(args, {})
    assert.equal(status, 0)
    assert.equal(stderr, '')
    assert.match(stdout, /│ cases +│ +12 │/)
    assert.match(stdout, /│ confirmed +│ +5 +41\.7 % │/)
    assert.match(stdout, /│ price, confirmed \(paid\) +│ +62\.5 │/)
    assert.match(stdout, /Event types that no condition names \(5\)\n +12 {2}picked_up/)
    assert.match(
      stdout,
      /P-1004 +│ no “delivered” with a celsius of at least 2 and at most 8; the nearest was 11\.3, off by 3\.3 +│ 1 condition/,
    )
    assert.match(stdout, /P-1005 .* │ 2 conditions, late by 51 min/)
  })

  test('pays for what the tutorial says, by the line that it shows', async () => {
    const tutorial = await readFile(new URL('../../docs/tutorial.md', import.meta.url), 'utf8')
    const [, line] = /^npx claimkeeper (backtest .*)$/m.exec(tutorial) as unknown as [string, string]
    const { stdout, status } = await runSharedCli(line.split(' '))
    assert.equal(status, 0)
    const [, cases, paid] = /Of these (\d+) deliveries it would have paid (\d+)\./.exec(tutorial) ?? []
    assert.match(stdout, new RegExp(`│ cases +│ +${cases} │`))
    assert.match(stdout, new RegExp(`│ confirmed +│ +${paid} `))
  })

  test('takes no contract that the service would refuse for its bytes or numbers', async (t) => {
    const contract = await fourHours()
    const withNumber = (number: string) => contract.replace('"price"', `"x": ${number}, "price"`)
    const path = await filesIn(t, {
      'latin1.json': Buffer.from(contract.replace('delivered', 'ge\u00f6ffnet'), 'latin1'),
      'utf16.json': Buffer.from(`\uFEFF${contract}`, 'utf16le'),
      'large.json': withNumber('9007199254740993'),
      'small.json': withNumber('1e-400'),
      'key.json': contract.replace('"price"', '"__proto__": {}, "price"'),
    })
    for (const [name, message] of [
      ['latin1.json', /the contract .* is not valid UTF-8: save it as UTF-8/],
      ['utf16.json', /is not valid UTF-8/],
      ['large.json', /is not a contract: the number 9007199254740993 cannot be kept exactly/],
      ['key.json', /is not a contract: __proto__ is not allowed as a key/],
      ['small.json', /the number 1e-400 cannot be kept exactly/],
    ] as const) {
      const { stderr, status } = await backtest('--log', SAMPLE_LOG, '--contract', path(name))
      assert.equal(status, 1, name)
      assert.match(stderr, message)
    }
  })

  test('--json prints one object and nothing else', async (t) => {
    const path = await filesIn(t, { 'contract.json': await fourHours() })
    const run = await backtest(
      '--log',
      SAMPLE_LOG,
      '--contract',
      path('contract.json'),
      '--json',
      '--report',
      path('r.html'),
    )
    const json = JSON.parse(run.stdout)
    assert.deepEqual(Object.keys(json), [
      'log',
      'until',
      'calendar',
      'cases_after_until',
      'events_after_until',
      'contracts',
      'comparison',
      'bad_rows',
      'warnings',
    ])
    assert.equal(json.log.events, 46)
    const [contract] = json.contracts
    assert.equal(contract.confirmed + contract.failed, 12)
    assert.deepEqual(contract.still_open, { open: 0, pending: 0 })
    assert.deepEqual(contract.price_sums, { open: '0', pending: '0', confirmed: '62.5', failed: '87.5' })
    assert.equal(contract.nearest_losers.length, 7)
    assert.match(run.stderr, /^The report is in .*r\.html\.\n$/)
  })

  test('--compare tells which cases change and by how much money', async (t) => {
    const path = await filesIn(t, { 'other.json': await fourHours() })
    const args = ['--log', SAMPLE_LOG, '--contract', SAMPLE_CONTRACT, '--compare', path('other.json')]
    const [table, json] = await Promise.all([backtest(...args), backtest(...args, '--json')])
    assert.match(table.stdout, /5 cases change, 7 do not; the second contract pays 62\.5 more than the first/)
    const { comparison } = JSON.parse(json.stdout)
    assert.equal(comparison.changed_cases, 5)
    assert.equal(comparison.price_difference, '62.5')
    assert.deepEqual(comparison.changes, [
      { from: 'FAILED', to: 'CONFIRMED', cases: 5, price_difference: '62.5' },
    ])
    assert.deepEqual(comparison.cases[0], {
      case_id: 'P-1001',
      from: 'FAILED',
      to: 'CONFIRMED',
      price_difference: '12.5',
    })
  })

  test('--log - reads the standard input', async (t) => {
    const path = await filesIn(t, { 'contract.json': await fourHours() })
    const args = [MAIN, 'backtest', '--log', '-', '--contract', path('contract.json'), '--json']
    const json = execFileSync(process.execPath, args, { input: await readFile(SAMPLE_LOG), encoding: 'utf8' })
    assert.equal(JSON.parse(json).contracts[0].confirmed, 5)
  })

  test('bad input is answered by one line and status 1', async (t) => {
    const path = await filesIn(t, {
      'bad.csv': 'case_id,type,occurred_at\na,done,2026-01-01T00:00:00Z\nb,done,yesterday\n',
      'wrong.json': JSON.stringify({ ...contractWith(), price: -1, review_window: 'x' }),
    })
    const [strict, wrong] = await Promise.all([
      backtest('--log', path('bad.csv'), '--contract', SAMPLE_CONTRACT, '--strict', '--json'),
      backtest('--log', SAMPLE_LOG, '--contract', path('wrong.json')),
    ])
    assert.match(strict.stderr, /^claimkeeper: line 3 of the log: "yesterday" is not a time .*\n$/)
    assert.match(
      wrong.stderr,
      /is not a contract: contract\.price must be .*; contract\.review_window must be .*\n$/,
    )
    for (const { status, stdout } of [strict, wrong]) assert.deepEqual([status, stdout], [1, ''])
  })

  test('unknown values of options are refused with what they may be', async () => {
    const files = ['--log', SAMPLE_LOG, '--contract', SAMPLE_CONTRACT]
    const refused: [string, string, RegExp][] = [
      ['--format', 'xml', /Allowed choices are csv, json, ndjson, xes/],
      ['--until', 'tomorrow', /--until: "tomorrow" is not a time such as/],
      ['--encoding', 'latin-9', /must be an encoding such as/],
      ['--time-zone', 'Berlin', /must be the name of a time zone/],
      [
        '--time-format',
        "yyyy-MM-dd'T'HH:mm:ss'Z'",
        /'Z' in quotes is a letter, so the zone would be ignored/,
      ],
      ['--time-format', 'HH:mm', /must name a year, a month and a day/],
      ['--decimal', ';', /Allowed choices are \., ,/],
    ]
    const runs = refused.map(async ([option, value, message]) => {
      const { stderr, status } = await backtest(...files, option, value)
      assert.match(stderr, message)
      assert.notEqual(status, 0, option)
    })
    await Promise.all(runs)
    assert.throws(() => parseSeparator('"'), /without quotes and line breaks/)
    assert.equal(parseSeparator('tab'), '\t')
  })
})
