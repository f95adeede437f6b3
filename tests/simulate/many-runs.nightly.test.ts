import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { workFolders } from '../../simulate/testbed/work-folder.ts'
import { eventually } from '../support/eventually.ts'
import { runNode } from '../support/serve-process.ts'

const SIMULATE = fileURLToPath(new URL('../../simulate/run.ts', import.meta.url))
const PLANTED = fileURLToPath(new URL('./planted-server-error.ts', import.meta.url))
const BROKEN = fileURLToPath(new URL('./planted-invalid-response.ts', import.meta.url))
const SMALL = ['--seconds', '2', '--clients', '4', '--patience', '60']

async function makeFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'claimkeeper-many-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  return folder
}

test('many runs are summarized and written as JSON', async (t) => {
  const folder = await makeFolder(t)
  const json = join(folder, 'runs.json')
  const options = ['--seed', '5', '--runs', '2', '--jobs', '2', '--servers', '1-2', '--faults', 'none']
  const places = ['--folder', join(folder, 'kept'), '--json', json]
  const { status, stdout, stderr } = await runNode([SIMULATE, ...SMALL, ...options, ...places], {})
  assert.equal(status, 0, `${stderr}\n${stdout}`)
  const { runs, operations, findings } = JSON.parse(await readFile(json, 'utf8'))
  assert.deepEqual(runs.map((run: { plan: { servers: number } }) => run.plan.servers).sort(), [1, 2])
  assert.equal(operations, runs[0].operations + runs[1].operations)
  assert.ok(runs[0].acknowledged > 0 && runs[1].acknowledged > 0)
  assert.equal(findings, 0)
  assert.deepEqual(await readdir(join(folder, 'kept')), [])
})

test('a finding is reproduced in smaller runs', async () => {
  const few = ['--clients', '1', '--accounts', '1', '--seconds', '2']
  const options = ['--seed', '6', '--servers', '2', '--faults', 'none', '--shrink', '90', ...few]
  const planted = { NODE_OPTIONS: `--import=${pathToFileURL(PLANTED)}` }
  const { status, stdout } = await runNode([SIMULATE, ...SMALL, ...options], planted)
  assert.equal(status, 1)
  assert.match(stdout, /^FINDING: the servers logged errors$/m)
  const [, smaller = ''] = stdout.split('The smallest with the finding')
  assert.match(smaller, /^FINDING: the servers logged errors$/m)
  assert.match(smaller, /Again: npm run simulate -- --seed 6 .*--servers 1 /)
})

test('a response that breaks the verification is a finding, with the command that repeats it', async () => {
  const options = ['--seed', '8', '--servers', '1', '--faults', 'none', '--no-shrink', '--seconds', '20']
  const planted = { NODE_OPTIONS: `--import=${pathToFileURL(BROKEN)}` }
  const { status, stdout } = await runNode([SIMULATE, ...SMALL, ...options], planted)
  assert.equal(status, 1, stdout)
  assert.match(stdout, /^FINDING: the verification failed: SyntaxError/m)
  assert.match(stdout, /^Again: npm run simulate -- --seed 8 /m)
})

test('the next run removes processes and files of a killed run', {
  skip: process.platform === 'linux' ? false : 'only Linux shows the environment of processes',
}, async () => {
  const options = ['--seed', '7', '--faults', 'disk-full,server-killed', '--seconds', '600']
  const child = spawn(process.execPath, [SIMULATE, ...options], { stdio: 'ignore' })
  const ended = once(child, 'exit')
  const ours = `claimkeeper-simulate-${child.pid}-`
  const folder = await eventually(async () => {
    const name = (await readdir(tmpdir())).find((name) => name.startsWith(ours))
    const folder = name && join(tmpdir(), name)
    return folder && (await isServing(folder)) && folder
  })
  child.kill('SIGKILL')
  await ended
  await workFolders.removeLeftovers(tmpdir())
  assert.ok(!existsSync(folder))
  await eventually(async () => (await findWith(folder)).length === 0)
})

const isServing = async (folder: string) => (await findWith(`CLAIMKEEPER_SIMULATION=${folder}`)).length > 0

/** The processes whose environment or command line contains the text. */
async function findWith(text: string): Promise<string[]> {
  const pids = (await readdir('/proc')).filter((name) => Number(name) > 0)
  const isOf = async (pid: string) => {
    const files = ['environ', 'cmdline'].map((name) =>
      readFile(`/proc/${pid}/${name}`, 'utf8').catch(() => ''),
    )
    return (await Promise.all(files)).some((words) => words.includes(text))
  }
  const found = await Promise.all(pids.map(isOf))
  return pids.filter((_, i) => found[i])
}
