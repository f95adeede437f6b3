import assert from 'node:assert/strict'
import { test } from 'node:test'
import { v7 } from 'uuid'
import { type Lane, Lanes } from '../../src/app/submission/lanes.ts'
import type { Kind } from '../../src/app/submission/line.ts'
import { PendingSubmission } from '../../src/app/submission/pending-submission.ts'
import { SubmissionLines } from '../../src/app/submission/submission-lines.ts'
import { Distribution } from '../../src/storage/distribution/distribution.ts'
import { uuidWithin } from '../../src/storage/distribution/uuid-hash.ts'

const nobody = () => {}
/** Of what there is to read of a claim: a group takes no other beside it. */
const MUCH_BYTES = 2 ** 30

class World {
  readonly #width: number
  readonly #lines: SubmissionLines
  readonly lanes: Lanes

  constructor(shards: number) {
    this.#width = 2 ** 32 / shards
    const lowest = Array.from({ length: shards }, (_, shard) => this.#lowestOf(shard))
    this.#lines = new SubmissionLines(new Distribution(lowest))
    this.lanes = new Lanes(this.#lines)
  }

  #lowestOf(shard: number): number {
    return -(2 ** 31) + shard * this.#width
  }

  /** Submissions arrive, each to another claim of the shard. */
  add(kind: Kind, shard: number, count = 1): void {
    const lowest = this.#lowestOf(shard)
    const ids = Array.from({ length: count }, () => uuidWithin(v7(), lowest, lowest + this.#width - 1))
    for (const id of ids) {
      const submission = { id: '1', type: 'seen', payload: {}, payloadBytes: 2 }
      const request = { userId: 'a', address: { kind: 'claim' as const, id }, submission, payloadJson: '{}' }
      this.#lines.add(id, new PendingSubmission(request, nobody))
    }
    if (kind === 'light') return
    // They show as heavy when they are read, and come back.
    for (const { line, submissions } of this.#lines.take('light', shard)) {
      this.#lines.giveBack(line, submissions)
      if (ids.includes(line.claimId)) line.heavyBytes = MUCH_BYTES
      this.#lines.open(line)
    }
  }

  leave(lanes: readonly Lane[]): void {
    for (const lane of lanes) this.lanes.leave(lane)
  }
}

const told = (lanes: readonly Lane[]) =>
  lanes.map(({ kind, shard, group }) => `${group.length} ${kind} of ${shard}`)

test('each shard has lanes of its own, and another is first each time', () => {
  const world = new World(3)
  const firsts: (number | undefined)[] = []
  for (let i = 0; i < 4; i++) {
    for (let shard = 0; shard < 3; shard++) world.add('light', shard, 2)
    const lanes = world.lanes.fill()
    assert.deepEqual(told(lanes).sort(), ['2 light of 0', '2 light of 1', '2 light of 2'])
    firsts.push(lanes[0]?.shard)
    world.leave(lanes)
    assert.ok(world.lanes.isEmpty)
  }
  assert.deepEqual(firsts, [1, 2, 0, 1])
})

for (const [where, shards, worthAnother, stuckMs] of [
  ['on one PostgreSQL', 1, 8, 10],
  ['on shards', 2, 64, 100],
] as const) {
  test(`${where}, few wait for the group of their shard that is on its way, until it seems to be stuck; many go`, () => {
    const world = new World(shards)
    world.add('light', 0)
    const first = world.lanes.fill(1_000)
    assert.deepEqual(told(first), ['1 light of 0'])
    world.add('light', 0, worthAnother - 1)
    assert.deepEqual(world.lanes.fill(1_000 + stuckMs - 1), [])
    assert.ok(world.lanes.isAnyHeldBack)
    const second = world.lanes.fill(1_000 + stuckMs)
    assert.deepEqual(told(second), [`${worthAnother - 1} light of 0`])
    assert.equal(world.lanes.isAnyHeldBack, false)

    world.leave(first)
    world.add('light', 0, worthAnother)
    assert.deepEqual(told(world.lanes.fill(1_000 + stuckMs)), [`${worthAnother} light of 0`])
    world.add('light', 0, 2 * worthAnother)
    assert.deepEqual(world.lanes.fill(10_000), [], 'the shard has no lane left')
    assert.equal(world.lanes.isAnyHeldBack, false)
    assert.equal(world.lanes.isFull, shards === 1)
  })
}

test('one heavy group is on its way at most, of whatever shard, and light ones go beside it', () => {
  const world = new World(2)
  world.add('heavy', 0, 2)
  world.add('heavy', 1)
  world.add('light', 0)
  world.add('light', 1)
  const [heavy, ...light] = world.lanes.fill() as [Lane, ...Lane[]]
  assert.deepEqual(told([heavy, ...light]), ['1 heavy of 1', '1 light of 1', '1 light of 0'])
  assert.deepEqual(world.lanes.fill(), [])
  world.leave([heavy])
  assert.deepEqual(told(world.lanes.fill()), ['1 heavy of 0'])
})
