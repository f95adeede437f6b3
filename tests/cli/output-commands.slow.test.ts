import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { SAMPLE_CONTRACT, SAMPLE_LOG } from '../backtest/backtest-files.ts'
import { FULL } from '../support/full-disk.ts'
import { sharedService } from '../support/shared.ts'
import { runSharedCli } from '../support/shared-cli.ts'
import { runWithOutput } from './run-with-output.ts'

const { databaseUrl: DATABASE_URL, sql, api } = await sharedService()
const { email } = (await api.get('/v1/me')).body
const NO_SPACE = /^claimkeeper: cannot write to standard output: no space left on device \(ENOSPC\)/m

describe('on a full disk', { skip: FULL === null && 'the system has no /dev/full', concurrency: 2 }, () => {
  const onFullDisk = (args: string[]) => runWithOutput(FULL as number, args, { DATABASE_URL })

  test('help and lists end with status 1 and the reason', async () => {
    for (const args of [['--help'], ['user', 'list', '--json']]) {
      const { status, stderr } = await onFullDisk(args)
      assert.equal(status, 1, args.join(' '))
      assert.match(stderr, NO_SPACE)
    }
  })

  test('token create does not create a token that it cannot print', async () => {
    const { status, stderr } = await onFullDisk(['token', 'create', '--email', email, '--name', 'unseen'])
    assert.equal(status, 1)
    assert.match(stderr, NO_SPACE)
    assert.deepEqual(await sql("SELECT 1 FROM api_tokens WHERE name = 'unseen'"), [])
  })

  test('user invite does not create an invitation that it cannot print', async () => {
    const { status, stderr } = await onFullDisk(['user', 'invite', '--email', 'unseen@example.com'])
    assert.equal(status, 1)
    assert.match(stderr, NO_SPACE)
    assert.deepEqual(await sql("SELECT 1 FROM invitations WHERE email = 'unseen@example.com'"), [])
  })

  test('a command that has changed something reports that the change stays', async () => {
    const { status, stderr } = await onFullDisk(['user', 'create', '--email', 'made@example.com'])
    assert.equal(status, 1)
    assert.match(stderr, /ENOSPC\)\. The change stays: Created made@example\.com \(\S+\)\.$/m)
    assert.equal((await sql("SELECT 1 FROM users WHERE email = 'made@example.com'")).length, 1)
  })
})

test('a closed pipe ends a command with status 1, and no token is created', async () => {
  const args = ['token', 'create', '--email', email, '--name', 'unread']
  const { status, stderr } = await runWithOutput('closed pipe', args, { DATABASE_URL })
  assert.equal(status, 1)
  assert.match(stderr, /^claimkeeper: cannot write to standard output: its reader has closed the pipe/m)
  assert.deepEqual(await sql("SELECT 1 FROM api_tokens WHERE name = 'unread'"), [])
})

test('usage errors end with status 2, other failures with 1', async () => {
  for (const args of [
    ['no-such-command'],
    ['user'],
    ['user', 'list', '--no-such-option'],
    ['token', 'revoke'],
    ['token', 'revoke', 'nightly'],
    ['archive', 'show', 'order-17'],
    ['token', 'create', '--name', 'x'],
    ['token', 'create', '--email', email, '--name', 'x', '--expires', 'tomorrow'],
    ['backtest', '--log', 'x', '--contract', 'y', '--format', 'xls'],
    ['backtest', '--log', '-', '--contract', '-'],
    ['backtest', '--log', SAMPLE_LOG, '--contract', SAMPLE_CONTRACT, '--until', '2027-02-30'],
    ['backtest', '--log', SAMPLE_LOG, '--contract', SAMPLE_CONTRACT, '--report', '-'],
  ]) {
    const { status, stdout } = await runSharedCli(args, { DATABASE_URL })
    assert.deepEqual([status, stdout], [2, ''], args.join(' '))
  }
  for (const args of [['--help'], ['--version'], ['help', 'serve']])
    assert.equal((await runSharedCli(args)).status, 0, args.join(' '))
  const unknown = ['token', 'create', '--email', 'nobody@example.com', '--name', 'x']
  assert.equal((await runSharedCli(unknown, { DATABASE_URL })).status, 1)
})

test('--json has the field names of the API, in snake_case', async () => {
  await runSharedCli(['token', 'create', '--email', email, '--name', 'listed'], { DATABASE_URL })
  const namesIn = async (...args: string[]) => {
    const { stdout } = await runSharedCli([...args, '--json'], { DATABASE_URL })
    return Object.keys(JSON.parse(stdout).at(-1))
  }
  const times = ['created_at', 'expires_at', 'last_used_at', 'revoked_at']
  assert.deepEqual(await namesIn('token', 'list'), [
    ...['id', 'user_id', 'email', 'name', 'session_id'],
    ...times,
    'state',
  ])
  assert.deepEqual(await namesIn('user', 'list'), ['id', 'email', 'name', 'created_at'])
})

test('tables obey NO_COLOR and FORCE_COLOR', async () => {
  const tableWith = async (settings: Record<string, string>) =>
    (await runSharedCli(['user', 'list'], { DATABASE_URL, ...settings })).stdout
  const ESCAPE = '\u001b['
  assert.ok(!(await tableWith({ NO_COLOR: '1' })).includes(ESCAPE))
  assert.ok((await tableWith({ NO_COLOR: '', FORCE_COLOR: '1' })).includes(ESCAPE))
  assert.ok(!(await tableWith({ NO_COLOR: '' })).includes(ESCAPE), 'it is no terminal')
})

test('the expiry of a token must be a valid time; a time without a zone is confirmed in UTC', async () => {
  const create = (expires: string) =>
    runSharedCli(['token', 'create', '--email', email, '--name', 'ends', '--expires', expires], {
      DATABASE_URL,
    })
  for (const [expires, message] of [
    ['2999-02-30', /names a day that does not exist, 2999-02-30/],
    ['2999-04-31T00:00:00Z', /names a day that does not exist, 2999-04-31/],
    ['2999-01-31T24:00:00Z', /names the hour 24/],
    ['2999-01-31 23:59:60', /leap seconds are not accepted/],
    ['2999-01-31T12', /must have a time of day and a zone/],
    ['tomorrow', /must be a time as ISO 8601/],
    ['2020-01-31', /2020-01-31T00:00:00\.000Z is in the past/],
  ] as const) {
    const { status, stdout, stderr } = await create(expires)
    assert.deepEqual([status, stdout], [2, ''], expires)
    assert.match(stderr, message)
  }
  const local = await create('2999-01-31T12:00:00')
  assert.match(local.stdout, /^ck_\S+\n$/)
  assert.match(
    local.stderr,
    /^2999-01-31T12:00:00 has no time zone: read as 2999-01-31T12:00:00\.000Z \(UTC\)\.$/m,
  )
  assert.equal((await create('2999-01-31T12:00:00+01:00')).stderr, '')
})
