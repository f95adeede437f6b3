import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { FAULTS } from '../../simulate/faults/faults.ts'
import { seeded } from '../../simulate/random.ts'
import { openStage } from '../../simulate/stage/open-stage.ts'
import type { RealStage } from '../../simulate/stage/real-stage.ts'
import { eventually } from '../support/eventually.ts'
import { MAIN } from '../support/serve-process.ts'
import { type Errands, startErrands } from './errands.ts'

/** Cheap ones, of each kind; a run of the simulator does them all. */
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

let stage: RealStage
let errands: Errands

before(async () => {
  stage = await openStage({ servers: 1, log: () => {}, program: MAIN })
  errands = await startErrands(stage)
})
after(async () => {
  await errands?.stop()
  await stage?.stop()
})

/** Further effects of a fault, by its name: an errand got the answer 500. */
const untilAlso: Record<string, () => boolean> = { 'refused-XX000': () => errands.answers.has(500) }

for (const name of TRIED) {
  test(`${name} strikes, and the stage is calm behind it`, async () => {
    const fault = FAULTS.find((one) => one.name === name)
    assert.ok(fault)
    assert.equal(fault.unavailable(), null)
    const random = seeded(1).fork(name)
    // After the previous fault there may be no session yet, and so nothing to inject the fault into.
    await eventually(async () => {
      const struck = await fault.strike(stage, random, new AbortController().signal)
      return struck !== null && (untilAlso[name]?.() ?? true)
    })
    await stage.calm()
  })
}

test('what the faults bring with them is no complaint', () => {
  assert.deepEqual(stage.complaints, [])
})

test('each fault has a name of its own, and says whether this machine can do it', () => {
  const names = FAULTS.map(({ name }) => name)
  assert.equal(new Set(names).size, names.length)
  for (const { unavailable } of FAULTS) assert.doesNotThrow(unavailable)
})
