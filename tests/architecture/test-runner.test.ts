import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'

const REPORTER = fileURLToPath(new URL('../support/reporter.ts', import.meta.url))

describe('a run whose tests report nothing for too long ends with a failure', () => {
  for (const [reason, module] of [
    ['a process hangs outside its tests', 'await new Promise(() => setInterval(() => {}, 1_000))'],
    [
      'a process holds the output of an ended test process',
      `import { spawn } from 'node:child_process'
      spawn('sleep', ['30'], { stdio: 'inherit' }).on('spawn', () => process.kill(process.pid, 'SIGTERM'))`,
    ],
  ] as const) {
    test(reason, async (t) => {
      const folder = await mkdtemp(join(tmpdir(), 'claimkeeper-runner-'))
      t.after(() => rm(folder, { recursive: true }))
      const file = join(folder, 'hangs.mjs')
      await writeFile(file, module)
      const options = ['--test', `--test-reporter=${REPORTER}`, '--test-reporter-destination=stdout']
      const child = spawn(process.execPath, [...options, file], {
        env: { PATH: process.env.PATH, CLAIMKEEPER_TEST_MAX_SILENCE_MS: '1000' },
        stdio: ['ignore', 'ignore', 'pipe'],
        timeout: 60_000,
      })
      assert.match(await text(child.stderr), /No test has reported for 1\.0 s\. The run ends\./)
      assert.notEqual(child.exitCode, 0)
    })
  }
})
