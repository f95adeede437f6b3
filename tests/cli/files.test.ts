import assert from 'node:assert/strict'
import { chmod, link, readFile, stat, symlink } from 'node:fs/promises'
import { describe, test } from 'node:test'
import { filesIn, SAMPLE_CONTRACT, SAMPLE_LOG } from '../backtest/backtest-files.ts'
import { runSharedCli } from '../support/shared-cli.ts'
import { runWithInput } from './run-with-input.ts'

const modeOf = async (path: string) => (await stat(path)).mode & 0o777

describe('a report', () => {
  test('does not overwrite an input file, also through a link', async (t) => {
    const log = await readFile(SAMPLE_LOG)
    const contract = await readFile(SAMPLE_CONTRACT)
    const path = await filesIn(t, { 'log.csv': log, 'contract.json': contract })
    await symlink(path('log.csv'), path('symbolic'))
    await link(path('contract.json'), path('hard'))
    for (const report of ['log.csv', 'symbolic', 'contract.json', 'hard']) {
      const { status, stderr } = await runSharedCli([
        ...['backtest', '--log', path('log.csv'), '--contract', path('contract.json')],
        ...['--report', path(report)],
      ])
      assert.equal(status, 1, report)
      assert.match(stderr, /^claimkeeper: cannot write to \S+: it is the input \S+\./)
    }
    assert.deepEqual(await readFile(path('log.csv')), log)
    assert.deepEqual(await readFile(path('contract.json')), contract)
  })

  test('can be read only by its owner, also if the file existed before', async (t) => {
    const path = await filesIn(t, { old: 'what was there before'.repeat(10_000) })
    await chmod(path('old'), 0o644)
    const reportTo = async (file: string) => {
      const args = ['backtest', '--log', SAMPLE_LOG, '--contract', SAMPLE_CONTRACT, '--report', path(file)]
      assert.equal((await runSharedCli(args)).status, 0)
      assert.equal(await modeOf(path(file)), 0o600)
      return readFile(path(file), 'utf8')
    }
    assert.equal(await reportTo('old'), await reportTo('new'))
  })

  test('that cannot be written fails the command with the path', async () => {
    const args = [
      'backtest',
      '--log',
      SAMPLE_LOG,
      '--contract',
      SAMPLE_CONTRACT,
      '--report',
      '/no/such/report',
    ]
    const { status, stderr } = await runSharedCli(args)
    assert.equal(status, 1)
    assert.match(
      stderr,
      /^claimkeeper: cannot write to \/no\/such\/report: no such file or directory \(ENOENT\)$/m,
    )
  })
})

test('- reads a contract from standard input; only one file can be -', async () => {
  const args = ['backtest', '--log', SAMPLE_LOG, '--contract', '-']
  const found = await runWithInput('', [...args, '--json'], await readFile(SAMPLE_CONTRACT))
  assert.equal(found.status, 0, found.stderr)
  assert.equal(JSON.parse(found.stdout).log.events, 46)
  const both = await runSharedCli([...args, '--compare', '-'])
  assert.equal(both.status, 2)
  assert.match(
    both.stderr,
    /only one of --log, --contract, --compare and --calendar can be - for standard input/,
  )
})

test('a backup does not overwrite a file of the archive', async (t) => {
  const path = await filesIn(t, { 'claims.gz': 'archived' })
  const settings = { CLAIMKEEPER_ARCHIVE_DIR: path('.'), DATABASE_URL: 'postgres://127.0.0.1:1/none' }
  const { status, stderr } = await runSharedCli(['backup', '--force', path('claims.gz')], settings)
  assert.equal(status, 1)
  assert.match(stderr, /cannot write to \S+: it is in the folder \S+\. Give a file in another folder\./)
  assert.equal(await readFile(path('claims.gz'), 'utf8'), 'archived')
})
