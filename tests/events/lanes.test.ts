import assert from 'node:assert/strict'
import { test } from 'node:test'
import { v7 } from 'uuid'
import { type Lane, Lanes } from '../../src/events/submission/lanes.ts'
import { distributionOver } from '../support/distribution-over.ts'
import { Distribution, uuidWithin } from '../support/source/database.ts'
import { type Kind, PendingSubmission, SubmissionLines } from '../support/source/decisions.ts'

const nobody = () => {}
/** Of what there is to read of a claim: a group takes no other beside it. */
const MUCH_BYTES = 2 ** 30

const SHARDS = 6
const WIDTH = 2 ** 32 / SHARDS
const lowestOf = (shard: number) => Math.ceil(-(2 ** 31) + shard * WIDTH)

class World {
  readonly #machines: number
  readonly #lines: SubmissionLines
  readonly lanes: Lanes

  /** @param machines that have the shards by turns; with one the tables are not distributed */
  constructor(machines: number) {
    this.#machines = machines
    const shards = Array.from({ length: SHARDS }, (_, shard) => shard)
    const distribution = distributionOver(
      shards.map(lowestOf),
      shards.map((shard) => shard % machines),
    )
    this.#lines = new SubmissionLines(machines === 1 ? new Distribution() : distribution)
    this.lanes = new Lanes(this.#lines)
  }

  /** Submissions arrive, each to another claim of the machine, of all of its shards. */
  add(kind: Kind, machine: number, count = 1): string[] {
    const ids = Array.from({ length: count }, (_, i) => {
      const shard = (machine + i * this.#machines) % SHARDS
      return uuidWithin(v7(), lowestOf(shard), lowestOf(shard + 1) - 1)
    })
    for (const id of ids) this.submitTo(id)
    if (kind === 'light') return ids
    // They show as heavy when they are read, and come back.
    for (const { line, submissions } of this.#lines.take('light', machine)) {
      this.#lines.giveBack(line, submissions)
      if (ids.includes(line.claimId)) line.heavyBytes = MUCH_BYTES
      this.#lines.open(line)
    }
    return ids
  }

  submitTo(id: string): void {
    const submission = { id: '1', type: 'seen', payload: {}, payloadBytes: 2 }
    const request = { userId: 'a', address: { kind: 'claim' as const, id }, submission, payloadJson: '{}' }
    this.#lines.add(id, new PendingSubmission(request, nobody))
  }

  /** Their submissions are answered. */
  reopen(lanes: readonly Lane[]): void {
    for (const { group } of lanes) for (const { line } of group) this.#lines.open(line)
  }

  leave(lanes: readonly Lane[], now = performance.now()): void {
    for (const lane of lanes) this.lanes.leave(lane, now)
  }
}

const told = (lanes: readonly Lane[]) =>
  lanes.map(({ kind, machine, group }) => `${group.length} ${kind} of ${machine}`)

test('each machine has lanes of its own, for claims of all of its shards, and another is first each time', () => {
  const world = new World(3)
  const firsts: (number | undefined)[] = []
  for (let i = 0; i < 4; i++) {
    for (let machine = 0; machine < 3; machine++) world.add('light', machine, 2)
    const lanes = world.lanes.fill()
    assert.deepEqual(told(lanes).sort(), ['2 light of 0', '2 light of 1', '2 light of 2'])
    firsts.push(lanes[0]?.machine)
    world.leave(lanes)
    assert.ok(world.lanes.isEmpty)
  }
  assert.deepEqual(firsts, [0, 1, 2, 0])
})

const WORTH_ANOTHER = 8
for (const [where, machines, stuckMs] of [
  ['on one PostgreSQL', 1, 10],
  ['on distributed tables', 2, 100],
] as const) {
  test(`${where}, few wait for the group of their machine that is on its way, until it seems to be stuck; many go`, () => {
    const world = new World(machines)
    world.add('light', 0)
    const first = world.lanes.fill(1_000)
    assert.deepEqual(told(first), ['1 light of 0'])
    world.add('light', 0, WORTH_ANOTHER - 1)
    assert.deepEqual(world.lanes.fill(1_000 + stuckMs - 1), [])
    assert.equal(world.lanes.heldMs(1_000 + stuckMs - 1), 1)
    const second = world.lanes.fill(1_000 + stuckMs)
    assert.deepEqual(told(second), [`${WORTH_ANOTHER - 1} light of 0`])
    assert.equal(world.lanes.heldMs(1_000 + stuckMs), null)

    world.leave(first, 1_000 + stuckMs)
    world.add('light', 0, WORTH_ANOTHER)
    assert.deepEqual(told(world.lanes.fill(1_000 + stuckMs)), [`${WORTH_ANOTHER} light of 0`])
    world.add('light', 0, 2 * WORTH_ANOTHER)
    assert.deepEqual(world.lanes.fill(10_000), [], 'the machine has no lane left')
    assert.equal(world.lanes.heldMs(10_000), null)
    assert.ok(world.lanes.isFull)
    world.add('light', machines - 1)
    assert.equal(world.lanes.isFull, machines === 1)
  })
}

for (const [took, waits] of [
  [5, 5],
  [50, 8],
] as const) {
  test(`on distributed tables those who were answered after ${took} ms are waited for, for ${waits} ms at most`, () => {
    const world = new World(2)
    world.add('light', 0, 12)
    const first = world.lanes.fill(1_000)
    world.add('light', 0, 4)
    world.leave(first, 1_000 + took)
    // Three in four of the 16.
    world.add('light', 0, 7)
    assert.deepEqual(world.lanes.fill(1_000 + took), [])
    assert.equal(world.lanes.heldMs(1_000 + took), waits)
    world.add('light', 1)
    assert.deepEqual(told(world.lanes.fill(1_001 + took)), ['1 light of 1'], 'another machine does not wait')
    world.add('light', 0)
    const second = world.lanes.fill(1_001 + took)
    assert.deepEqual(told(second), ['12 light of 0'])

    world.leave(second, 1_001 + 2 * took)
    world.add('light', 0, 2)
    const waited = 1_001 + 2 * took + waits
    assert.deepEqual(world.lanes.fill(waited - 1), [])
    assert.deepEqual(told(world.lanes.fill(waited)), ['2 light of 0'])
  })
}

test('on distributed tables few wait for nobody; on one PostgreSQL nobody does', () => {
  const alone = new World(2)
  alone.add('light', 0)
  alone.leave(alone.lanes.fill(1_000), 1_004)
  alone.add('light', 0)
  const again = alone.lanes.fill(1_004)
  assert.deepEqual(told(again), ['1 light of 0'])
  alone.leave(again, 1_008)
  alone.add('light', 0, 7)
  alone.leave(alone.lanes.fill(1_008), 1_012)
  alone.add('light', 0)
  assert.deepEqual(told(alone.lanes.fill(1_012)), ['1 light of 0'])
  const many = new World(1)
  many.add('light', 0, 12)
  many.leave(many.lanes.fill(1_000), 1_004)
  many.add('light', 0)
  assert.deepEqual(told(many.lanes.fill(1_004)), ['1 light of 0'])
})

test('on distributed tables a claim of which more waits already is waited for by nobody, nor is anyone once enough are there', () => {
  const world = new World(2)
  const [id] = world.add('light', 0)
  const first = world.lanes.fill(1_000)
  world.submitTo(id as string)
  world.reopen(first)
  world.leave(first, 1_005)
  const second = world.lanes.fill(1_005)
  assert.deepEqual(told(second), ['1 light of 0'])
  world.leave(second, 1_010)

  world.add('light', 0, 400)
  const third = world.lanes.fill(1_030)
  world.add('light', 0, 50)
  world.leave(third, 1_040)
  assert.deepEqual(told(world.lanes.fill(1_040)), ['50 light of 0'])
})

/** Two groups of so many claims went at 1,000; the first has come back at 1,020. */
function withFirstBack(count: number): { world: World; second: Lane[] } {
  const world = new World(2)
  world.add('light', 0, count)
  const first = world.lanes.fill(1_000)
  world.add('light', 0, count)
  const second = world.lanes.fill(1_000)
  world.leave(first, 1_020)
  return { world, second }
}

test('on distributed tables another group that comes back does not prolong the wait', () => {
  const { world, second } = withFirstBack(20)
  world.add('light', 0)
  assert.deepEqual(world.lanes.fill(1_021), [])
  world.leave(second, 1_027)
  assert.deepEqual(world.lanes.fill(1_027), [])
  assert.deepEqual(told(world.lanes.fill(1_028)), ['1 light of 0'])
})

test('on distributed tables those who have waited wait no more though the next group comes back before they have gone', () => {
  const { world, second } = withFirstBack(50)
  world.add('light', 0, 10)
  assert.deepEqual(world.lanes.fill(1_020), [])
  world.leave(second, 1_028.5)
  assert.deepEqual(told(world.lanes.fill(1_028.5)), ['10 light of 0'])
})

test('on distributed tables who waited for callers in vain waits for none with the next group, then the next three, and so on, up to 31', () => {
  const world = new World(2)
  let now = 1_000
  /** Those of a group of ten are answered after 5 ms; later somebody else comes. */
  const waits = (): boolean => {
    world.add('light', 0, 10)
    const answered = world.lanes.fill(now)
    assert.deepEqual(told(answered), ['10 light of 0'])
    now += 5
    world.leave(answered, now)
    world.add('light', 0)
    let alone = world.lanes.fill(now)
    const hasWaited = alone.length === 0
    now += 8
    if (hasWaited) alone = world.lanes.fill(now)
    assert.deepEqual(told(alone), ['1 light of 0'])
    world.leave(alone, now)
    return hasWaited
  }
  const waited: number[] = []
  for (let round = 0; round < 200; round++) if (waits()) waited.push(round)
  const between = waited.slice(1).map((round, i) => round - (waited[i] as number))
  assert.deepEqual(between, [2, 4, 8, 16, 32, 32, 32, 32, 32])

  // Once they come again at once, each group waits for them.
  for (let round = 0; round < 40; round++) {
    world.add('light', 0, 10)
    world.leave(world.lanes.fill(now), now + 5)
    now += 5
  }
  world.add('light', 0, 7)
  assert.deepEqual(world.lanes.fill(now), [])
})

test('one heavy group is on its way at most, of whatever machine, and light ones go beside it', () => {
  const world = new World(2)
  world.add('heavy', 0, 2)
  world.add('heavy', 1)
  world.add('light', 0)
  world.add('light', 1)
  const [heavy, ...light] = world.lanes.fill() as [Lane, ...Lane[]]
  assert.deepEqual(told([heavy, ...light]), ['1 heavy of 0', '1 light of 0', '1 light of 1'])
  assert.deepEqual(world.lanes.fill(), [])
  world.leave([heavy])
  assert.deepEqual(told(world.lanes.fill()), ['1 heavy of 0'])
})
