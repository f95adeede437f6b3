import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { runNode } from '../support/serve-process.ts'
import { sharedService } from '../support/shared.ts'

const EXAMPLE = fileURLToPath(new URL('../../examples/replay-log.ts', import.meta.url))

test('the example replays its log: a claim a case, refused events counted, no event lost on a second run', async () => {
  const { url, token } = (await sharedService()).api
  for (const run of [1, 2]) {
    const { status, stdout, stderr } = await runNode(
      [EXAMPLE, '--url', url, '--token', `${token}`, '--no-wait', '--json'],
      {},
    )
    assert.equal(status, 0, stderr)
    const { cases, customers, events, accepted, refused_claim_not_open: refused } = JSON.parse(stdout)
    assert.deepEqual(
      { run, cases, customers, events, accepted, refused },
      {
        run,
        cases: 12,
        customers: 4,
        events: 46,
        accepted: 43,
        refused: 3,
      },
    )
  }
})

test('the example explains a wrong token, an unknown column and a service that is not there in one line', async () => {
  const { url } = await sharedService()
  for (const [args, expected] of [
    [['--url', url, '--token', 'wrong'], /token/i],
    [['--url', url, '--token', 'x', '--case', 'nope'], /nope/],
    [['--url', 'http://127.0.0.1:1', '--token', 'x'], /127\.0\.0\.1:1/],
  ] as const) {
    const { status, stderr } = await runNode([EXAMPLE, ...args], {})
    assert.equal(status, 1)
    assert.match(stderr, expected)
    assert.equal(stderr.trim().split('\n').length, 1, stderr)
  }
})
