import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { FULL } from '../support/full-disk.ts'
import { runNode } from '../support/serve-process.ts'

const LOG = fileURLToPath(new URL('../../src/platform/terminal/log.ts', import.meta.url))

test('the log cuts out tokens, and the values that PostgreSQL repeats in its errors', async () => {
  const token = `ck_${'x'.repeat(43)}`
  const script = `import { createLog } from ${JSON.stringify(LOG)}
    const error = Object.assign(new Error('duplicate key'), {
      code: '23505', detail: 'Key (a)=(hunter2) exists', where: 'hunter2', constraint: 'unique_a',
    })
    createLog('info').error({ err: error, asked: '${token}' }, 'refused ${token}')`
  const { stderr } = await runNode(['--input-type=module-typescript', '--eval', script], {})
  const { err, asked, msg } = JSON.parse(stderr)
  assert.deepEqual([asked, msg], ['ck_…', 'refused ck_…'])
  assert.deepEqual([err.message, err.code, err.constraint], ['duplicate key', '23505', 'unique_a'])
  assert.doesNotMatch(stderr, /hunter2|xxx/)
})

test('a fatal line to a disk that is full, which the log would wait for, ends nobody’s work', {
  skip: FULL === null,
}, async () => {
  const script = `import { openSync } from 'node:fs'
    import { createLog } from ${JSON.stringify(LOG)}
    const log = createLog('info', openSync('/dev/full', 'w'))
    log.fatal('a fault')
    console.log('goes on')`
  const { stdout, status } = await runNode(['--input-type=module-typescript', '--eval', script], {})
  assert.deepEqual([stdout, status], ['goes on\n', 0])
})

test('code that logs continues if the disk is full', {
  skip: FULL === null,
}, async () => {
  // More than are held until there is room again.
  const script = `import { openSync } from 'node:fs'
    import { createLog } from ${JSON.stringify(LOG)}
    const log = createLog('info', openSync('/dev/full', 'w'))
    for (let i = 0; i < 10_000; i++) log.info('x'.repeat(1_000))
    console.log('goes on')`
  const { stdout, status } = await runNode(['--input-type=module-typescript', '--eval', script], {})
  assert.deepEqual([stdout, status], ['goes on\n', 0])
})
