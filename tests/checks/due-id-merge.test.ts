import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parse } from 'uuid'
import { DueIdMerge } from '../support/source/decisions.ts'

const packed = (ids: readonly string[]) => Buffer.concat(ids.toSorted().map((id) => Buffer.from(parse(id))))

test('ids of several runs come in the order of all of them, each once, however many are taken at once', () => {
  fc.assert(
    fc.property(
      fc.array(fc.array(fc.uuid(), { maxLength: 20 }), { maxLength: 8 }),
      fc.integer({ min: 1, max: 7 }),
      (runs, count) => {
        const ids = new DueIdMerge()
        for (const run of runs) ids.add(packed(run))
        const taken: string[] = []
        for (let some = ids.take(count); some.length > 0; some = ids.take(count)) {
          assert.ok(some.length <= count)
          taken.push(...some)
        }
        assert.deepEqual(taken, runs.flat().toSorted())
      },
    ),
  )
})
