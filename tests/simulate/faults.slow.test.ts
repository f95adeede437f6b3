import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { FAULTS } from '../../simulate/faults/faults.ts'
import { seeded } from '../../simulate/random.ts'
import type { LocalTestbed } from '../../simulate/testbed/local-testbed.ts'
import { openTestbed } from '../../simulate/testbed/open-testbed.ts'
import { eventually } from '../support/eventually.ts'
import { MAIN } from '../support/serve-process.ts'
import { startWorkload, type Workload } from './workload.ts'

/** Faults of each kind that are fast. A run of the simulator injects all. */
const TRIED = [
  'server-killed',
  'database-stopped-immediate',
  'backends-terminated',
  'database-process-paused',
  'database-connection-cut',
  'client-connection-cut',
  'answers-lost',
  'commit-struck',
  'refused-XX000',
  'table-held',
  'vacuum-full',
]

let testbed: LocalTestbed
let workload: Workload

before(async () => {
  testbed = await openTestbed({ servers: 1, log: () => {}, program: MAIN })
  workload = await startWorkload(testbed)
})
after(async () => {
  await workload?.stop()
  await testbed?.stop()
})

/** A further expected effect, by the fault's name: the workload gets a 500. */
const expectedEffects: Record<string, () => boolean> = { 'refused-XX000': () => workload.answers.has(500) }

for (const name of TRIED) {
  test(`${name} has an effect, and the testbed recovers`, async () => {
    const fault = FAULTS.find((fault) => fault.name === name)
    assert.ok(fault)
    assert.equal(fault.unavailable(), null)
    const random = seeded(1).fork(name)
    // After the previous fault there may be no session yet, and so nothing to inject the fault into.
    await eventually(async () => {
      const injected = await fault.inject(testbed, random, new AbortController().signal)
      return injected !== null && (expectedEffects[name]?.() ?? true)
    })
    await testbed.recover()
  })
}

test('the effects of the faults are no server errors', () => {
  assert.deepEqual(testbed.serverErrors, [])
})

test('each fault has a unique name, and tells whether this machine can inject it', () => {
  const names = FAULTS.map(({ name }) => name)
  assert.equal(new Set(names).size, names.length)
  for (const { unavailable } of FAULTS) assert.doesNotThrow(unavailable)
})
