import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'

const BROWSER = new URL('../support/browser.ts', import.meta.url).href

test('a process with a browser ends on SIGTERM', async () => {
  const module = `import { startBrowser } from '${BROWSER}'
    await startBrowser({ after: () => {} })
    setInterval(() => {}, 1_000)
    process.kill(process.pid, 'SIGTERM')`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', module], {
    stdio: 'ignore',
    timeout: 60_000,
    killSignal: 'SIGKILL',
  })
  const [, signal] = await once(child, 'exit')
  assert.equal(signal, 'SIGTERM')
})
