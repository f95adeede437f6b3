import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setImmediate as tick } from 'node:timers/promises'
import fc from 'fast-check'
import { Batcher, type BatcherOptions, Retry } from '../../src/platform/concurrency/batcher.ts'
import { VirtualTime } from '../deterministic/virtual-time.ts'

class Transient extends Error {}
class Outage extends Error {}

const DEFAULTS = {
  maxPending: 1_000,
  maxWeight: 100,
  weightOf: () => 1,
  maxInFlight: 2,
  stallAfterMs: 10,
  queueTimeoutMs: 5_000,
  isTransient: (error: unknown) => error instanceof Transient,
  isOutage: (error: unknown) => error instanceof Outage,
  createError: (reason: string) => new Error(reason),
}

/** Batches of numbers that are in flight until `release`. A result is twice the number. */
function heldBatcher(options: Partial<BatcherOptions<number, number>> = {}) {
  const batches: number[][] = []
  const gate = Promise.withResolvers<void>()
  const batcher = new Batcher<number, number>({
    ...DEFAULTS,
    run: async (items) => {
      batches.push([...items])
      await gate.promise
      return items.map((item) => 2 * item)
    },
    ...options,
  })
  return { batcher, batches, release: gate.resolve }
}

const numbers = (count: number, from = 1) => Array.from({ length: count }, (_, i) => from + i)
const submitAll = (batcher: Batcher<number, number>, account: string, items: readonly number[]) =>
  Promise.all(items.map((item) => batcher.submit(account, item)))
const enqueueAll = (batcher: Batcher<number, number>, account: string, items: readonly number[]) => {
  for (const item of items) batcher.enqueue(account, item, () => {})
}
const outcomesOf = async (batcher: Batcher<number, number>, account: string, items: readonly number[]) => {
  const settled = await Promise.allSettled(items.map((item) => batcher.submit(account, item)))
  return settled.map((one) => (one.status === 'fulfilled' ? one.value : one.reason.message))
}
const countBy = (items: readonly number[], accountOf: (item: number) => string) =>
  Object.fromEntries(
    Map.groupBy(items, accountOf)
      .entries()
      .map(([account, { length }]) => [account, length]),
  )

describe('a batch', () => {
  test('has the items that arrive in one tick, and each gets its own result', async () => {
    const { batcher, batches, release } = heldBatcher()
    release()
    assert.deepEqual(await submitAll(batcher, 'a', [1, 2, 50]), [2, 4, 100])
    assert.deepEqual(batches, [[1, 2, 50]])
  })

  test('starts while another is in flight if it has eight keys; fewer keys wait for that batch', async () => {
    const { batcher, batches, release } = heldBatcher()
    const first = batcher.submit('a', 1)
    await tick()
    const many = submitAll(batcher, 'a', numbers(8, 10))
    await tick()
    assert.deepEqual(batches, [[1], numbers(8, 10)])
    const late = submitAll(batcher, 'a', [20, 25])
    await tick()
    assert.equal(batches.length, 2)
    release()
    await Promise.all([first, many])
    assert.deepEqual(await late, [40, 50])
    assert.deepEqual(batches[2], [20, 25])
  })

  test('starts for few keys if the batch in flight is stalled', async () => {
    const { batcher, batches } = heldBatcher()
    void batcher.submit('a', 1)
    await tick()
    void batcher.submit('a', 2)
    while (batches.length < 2) await tick()
    assert.deepEqual(batches, [[1], [2]])
  })

  test('has items of all accounts in turn, within its weight', async () => {
    const { batcher, batches, release } = heldBatcher({ maxWeight: 4 })
    void batcher.submit('a', 1)
    await tick()
    const flood = submitAll(batcher, 'a', numbers(9, 2))
    const other = submitAll(batcher, 'b', [50, 51])
    await tick()
    assert.deepEqual(batches[1], [2, 50, 3, 51])
    release()
    await Promise.all([flood, other])
    assert.deepEqual(batches.slice(2).flat(), numbers(7, 4))
  })

  test('has equal shares of accounts, however many keys and items of a key they have', async () => {
    const { batcher, batches } = heldBatcher({
      maxItems: 300,
      maxWeight: 1_000,
      maxPending: 10_000,
      orderKeyOf: (item) => (item < 2_000 ? 'one key' : `${item}`),
    })
    enqueueAll(batcher, 'a', numbers(1_000))
    enqueueAll(batcher, 'b', numbers(1_000, 2_000))
    enqueueAll(batcher, 'c', numbers(1_000, 3_000))
    await tick()
    const accountOf = (item: number) => (item < 2_000 ? 'a' : item < 3_000 ? 'b' : 'c')
    assert.deepEqual(countBy(batches[0] ?? [], accountOf), { a: 100, b: 100, c: 100 })
  })

  test('has one item of each account if there are more accounts than room', async () => {
    const { batcher, batches } = heldBatcher({ maxItems: 50, maxWeight: 1_000, maxPending: 10_000 })
    for (const account of numbers(70)) enqueueAll(batcher, `${account}`, [account, account])
    await tick()
    assert.deepEqual(new Set(batches.flat()).size, 70)
    assert.deepEqual(
      batches.map(({ length }) => length),
      [50, 50],
    )
  })

  test('has no other item beside one that exceeds the weight', async () => {
    const { batcher, batches, release } = heldBatcher({
      maxWeight: 10,
      weightOf: (item) => item,
      maxInFlight: 1,
    })
    release()
    await Promise.all([submitAll(batcher, 'a', [1, 30, 2]), submitAll(batcher, 'b', [4, 5, 6])])
    assert.deepEqual(batches, [[1, 4, 5], [30], [6, 2]])
  })

  test('has items of one batch key only, in one partition', async () => {
    const { batcher, batches, release } = heldBatcher({ batchKeyOf: (item) => item % 2, maxInFlight: 1 })
    release()
    await submitAll(batcher, 'a', [1, 3, 2, 4, 5])
    assert.deepEqual(batches, [[1, 3], [2, 4], [5]])
  })
})

test('a partition has its own batches in flight: one that stalls delays no other', async () => {
  const released = Promise.withResolvers<void>()
  const batcher = new Batcher<number, number>({
    ...DEFAULTS,
    maxInFlight: 1,
    partitionOf: (item) => item % 2,
    run: async (items, partition) => {
      if (partition === 1) await released.promise
      return [...items]
    },
  })
  const stalled = submitAll(batcher, 'a', [1, 3])
  assert.deepEqual(await submitAll(batcher, 'a', [2, 4]), [2, 4])
  assert.deepEqual(await submitAll(batcher, 'a', [6]), [6])
  released.resolve()
  assert.deepEqual(await stalled, [1, 3])
})

describe('the pending items', () => {
  const fill = (batcher: Batcher<number, number>, account: string, item = 1) => {
    let count = 0
    while (batcher.enqueue(account, item, () => {}) === null) count++
    return count
  }

  test('of one account are as many as are left for others', () => {
    const { batcher } = heldBatcher()
    assert.deepEqual(
      ['a', 'b', 'c'].map((account) => fill(batcher, account)),
      [500, 250, 125],
    )
    assert.equal(
      batcher.enqueue('d', 1, () => {}),
      null,
    )
  })

  test('are bounded by weight too, and by a limit of each account', () => {
    const { batcher } = heldBatcher({ maxPendingWeight: 100, weightOf: () => 10 })
    assert.equal(fill(batcher, 'a'), 5)
    const { batcher: other } = heldBatcher({ maxPendingPerAccount: 20 })
    assert.deepEqual([fill(other, 'a'), fill(other, 'b')], [20, 20])
  })

  test('of a degraded partition are half of those of an account', () => {
    const { batcher } = heldBatcher({
      maxPending: 10_000,
      partitionOf: (item) => item,
      isDegraded: (partition) => partition === 1,
    })
    assert.deepEqual([fill(batcher, 'a', 1), fill(batcher, 'a', 2)], [3_334, 1_666])
  })

  test('are refused after the stop, which resolves when the others are done', async () => {
    const { batcher, release } = heldBatcher()
    const submitted = batcher.submit('a', 1)
    await tick()
    let isStopped = false
    const stopped = batcher.stop().then(() => {
      isStopped = true
    })
    await assert.rejects(batcher.submit('a', 2), { message: 'stopping' })
    assert.equal(isStopped, false)
    release()
    assert.equal(await submitted, 2)
    await stopped
  })
})

describe('an item that is retried', () => {
  test('runs before the later items of its key, and the others before it if it is suspended', async () => {
    const resumed = Promise.withResolvers<void>()
    const runs: number[][] = []
    const { batcher } = heldBatcher({
      orderKeyOf: (item) => (item < 10 ? 'suspended' : `${item}`),
      run: async (items) => {
        runs.push([...items])
        return items.map((item) =>
          item === 1 && runs.length === 1 ? new Retry({ after: () => resumed.promise }) : item,
        )
      },
    })
    const suspended = submitAll(batcher, 'a', [1])
    await tick()
    await tick()
    const later = submitAll(batcher, 'a', [2, 3])
    assert.deepEqual(await submitAll(batcher, 'a', [10, 11]), [10, 11])
    assert.deepEqual([batcher.active, batcher.isIdle], [0, true])
    resumed.resolve()
    assert.deepEqual(await Promise.all([suspended, later]), [[1], [2, 3]])
    assert.deepEqual(runs, [[1], [10, 11], [1, 2, 3]])
  })

  test('with a weight of its key shares batches with other such keys only, one batch in flight', async () => {
    const isKnown = new Set<number>()
    const released = Promise.withResolvers<void>()
    const runs: number[][] = []
    const { batcher } = heldBatcher({
      maxWeight: 10,
      orderKeyOf: (item) => `${item}`,
      run: async (items) => {
        runs.push([...items])
        const isOversized = items.some((item) => isKnown.has(item))
        if (isOversized) await released.promise
        return items.map((item) => {
          if (item >= 5 || isKnown.has(item)) return item
          isKnown.add(item)
          return new Retry({ keyWeight: 4 })
        })
      },
    })
    const first = submitAll(batcher, 'a', numbers(7))
    while (runs.length < 2) await tick()
    assert.deepEqual(await submitAll(batcher, 'a', [8, 9]), [8, 9])
    released.resolve()
    await first
    assert.deepEqual(runs, [numbers(7), [1, 2], [8, 9], [3, 4]])
  })
})

describe('a batch that fails', () => {
  test('is split: a refused item fails alone', async () => {
    const runs: number[][] = []
    const { batcher } = heldBatcher({
      run: async (items) => {
        runs.push([...items])
        if (items.includes(3)) throw new Error('refused')
        return [...items]
      },
    })
    assert.deepEqual(await outcomesOf(batcher, 'a', [1, 2, 3, 4]), [1, 2, 'refused', 4])
    assert.deepEqual(runs, [[1, 2, 3, 4], [1], [2], [3], [4]])
  })

  test('runs once more at once if the error is transient, and fails as a whole in an outage', async () => {
    let runs = 0
    const { batcher } = heldBatcher({
      run: async (items) => {
        if (runs++ === 0) throw new Transient('deadlock')
        if (runs > 2) throw new Outage('connection lost')
        return [...items]
      },
    })
    assert.deepEqual(await outcomesOf(batcher, 'a', [1, 2]), [1, 2])
    assert.equal(runs, 2)
    assert.deepEqual(await outcomesOf(batcher, 'a', [1, 2]), ['connection lost', 'connection lost'])
    assert.equal(runs, 3)
  })

  test('in `onDone` of one item leaves the other items theirs', async () => {
    const { batcher, release } = heldBatcher()
    release()
    batcher.enqueue('a', 1, () => {
      throw new Error('a fault of the caller')
    })
    assert.equal(await batcher.submit('a', 2), 4)
  })
})

/** What happens to an item: outcomes of its runs, one after the other; then it succeeds. */
type Fate = 'error' | 'retry' | 'alone' | 'backoff' | 'suspended' | 'heavy'
interface Arrival {
  account: string
  key: string
  weight: number
  partition: number
  fates: Fate[]
  /** Virtual time before the next arrival, in milliseconds. */
  pauseMs: number
}
type RunFate = 'works' | 'rejects' | 'transient' | 'outage' | 'hangs'

const MAX_WEIGHT = 5
const MAX_ITEMS = 4
const MAX_IN_FLIGHT = 2
const KEY_WEIGHT = 3

const arrival = fc.record<Arrival>({
  account: fc.constantFrom('A', 'A', 'B', 'C'),
  key: fc.constantFrom('x', 'y', 'z'),
  weight: fc.integer({ min: 0, max: 7 }),
  partition: fc.constant(0),
  fates: fc.array(fc.constantFrom<Fate>('error', 'retry', 'alone', 'backoff', 'suspended', 'heavy'), {
    maxLength: 3,
  }),
  pauseMs: fc.constantFrom(0, 0, 0, 1, 20, 700),
})
const runs = fc.infiniteStream(
  fc.record({
    fate: fc.oneof(
      { weight: 12, arbitrary: fc.constant<RunFate>('works') },
      { weight: 4, arbitrary: fc.constantFrom<RunFate>('rejects', 'transient', 'outage', 'hangs') },
    ),
    ms: fc.integer({ min: 1, max: 60 }),
  }),
)

interface Tracked extends Arrival {
  number: number
  outcomes: (string | Error)[]
}

async function checkHistory(
  time: VirtualTime,
  arrivals: readonly Arrival[],
  nextRun: () => { fate: RunFate; ms: number },
): Promise<void> {
  const problems: string[] = []
  const items: Tracked[] = arrivals.map((one, number) => ({
    ...one,
    // One partition for each key.
    partition: one.key === 'z' ? 1 : 0,
    fates: [...one.fates],
    number,
    outcomes: [],
  }))
  const inFlight: Tracked[][] = []
  const keyOf = ({ account, key }: Tracked) => `${account} ${key}`

  const check = (batch: readonly Tracked[], partition: number) => {
    if (batch.some((item) => item.partition !== partition)) problems.push('two partitions in a batch')
    if (inFlight.filter(([first]) => first?.partition === partition).length >= MAX_IN_FLIGHT)
      problems.push('too many batches in flight')
    const keys = new Set(batch.map(keyOf))
    const weight = batch.reduce((sum, item) => sum + item.weight, 0)
    if (batch.length > 1 && (batch.length > MAX_ITEMS || weight > MAX_WEIGHT))
      problems.push('a batch is too large')
    for (const key of keys) {
      if (inFlight.some((other) => other.some((item) => keyOf(item) === key)))
        problems.push('a key is in two batches')
      const open = items.filter(
        (item) => keyOf(item) === key && hasArrived(item) && item.outcomes.length === 0,
      )
      const own = batch.filter((item) => keyOf(item) === key)
      if (own.some((item, i) => item !== open[i])) problems.push('out of order')
    }
  }
  const arrived = new Set<number>()
  const hasArrived = ({ number }: Tracked) => arrived.has(number)

  const outcomeOf = (item: Tracked): string | Error | Retry => {
    const fate = item.fates.shift()
    switch (fate) {
      case undefined:
        return `result ${item.number}`
      case 'error':
        return new Error(`error ${item.number}`)
      case 'retry':
        return new Retry()
      case 'alone':
        return new Retry({ isAlone: true })
      case 'backoff':
        return new Retry({ after: 'backoff' })
      case 'suspended':
        return new Retry({ after: () => new Promise((resolve) => setTimeout(resolve, 300)) })
      case 'heavy':
        return new Retry({ keyWeight: KEY_WEIGHT })
    }
  }
  const hangs: (() => void)[] = []
  const batcher = new Batcher<Tracked, string>({
    ...DEFAULTS,
    maxPending: 100,
    maxItems: MAX_ITEMS,
    maxWeight: MAX_WEIGHT,
    weightOf: ({ weight }) => weight,
    maxInFlight: MAX_IN_FLIGHT,
    partitionOf: ({ partition }) => partition,
    orderKeyOf: ({ key }) => key,
    queueTimeoutMs: 10_000,
    retryTimeoutMs: 5_000,
    runTimeoutMs: 10_000,
    run: async (batch, partition) => {
      check(batch, partition)
      const tracked = [...batch]
      inFlight.push(tracked)
      const { fate, ms } = nextRun()
      await new Promise<void>((resolve) => {
        if (fate === 'hangs') hangs.push(resolve)
        else setTimeout(resolve, ms)
      })
      inFlight.splice(inFlight.indexOf(tracked), 1)
      if (fate === 'rejects') throw new Error('rejected')
      if (fate === 'transient') throw new Transient('transient')
      if (fate === 'outage') throw new Outage('outage')
      return batch.map(outcomeOf)
    },
  })

  for (const item of items) {
    const refusal = batcher.enqueue(item.account, item, (outcome) => item.outcomes.push(outcome))
    arrived.add(item.number)
    if (refusal) item.outcomes.push(refusal)
    if (item.pauseMs === 0) continue
    const until = time.nowMs + item.pauseMs
    while (time.nowMs < until && time.pendingTimers > 0) {
      await time.settle()
      time.advance()
    }
  }
  const isDone = () => items.every(({ outcomes }) => outcomes.length > 0)
  let isStopped = false
  for (let step = 0; !isStopped; step++) {
    assert.ok(
      step < 2_000,
      `not done: ${JSON.stringify(items.filter(({ outcomes }) => outcomes.length === 0))}`,
    )
    await time.settle()
    if (isDone() && step % 2 === 0) {
      for (const hang of hangs.splice(0)) hang()
      void batcher.stop().then(() => {
        isStopped = true
      })
      await time.settle()
    }
    if (!isStopped && time.pendingTimers > 0) time.advance()
  }
  assert.deepEqual(problems, [])
  for (const { number, outcomes } of items) {
    assert.equal(outcomes.length, 1, `item ${number} has ${outcomes.length} outcomes`)
    const [outcome] = outcomes
    if (!(outcome instanceof Error)) assert.equal(outcome, `result ${number}`)
    else if (outcome.message.startsWith('error')) assert.equal(outcome.message, `error ${number}`)
  }
  assert.deepEqual([batcher.active, batcher.isIdle], [0, true])
}

test('whatever its runs do, each item is done once and in order, and no batch exceeds its limits', async (t) => {
  const seed = process.env.DETERMINISTIC_SEED
  const property = fc.asyncProperty(
    fc.array(arrival, { minLength: 1, maxLength: 40 }),
    runs,
    async (arrivals, fates) => {
      const time = new VirtualTime()
      time.install()
      try {
        await checkHistory(time, arrivals, () => fates.next().value)
      } finally {
        time.uninstall()
      }
    },
  )
  const runCount = Number(process.env.DETERMINISTIC_RUNS ?? 300)
  await fc.assert(property, { numRuns: runCount, ...(seed ? { seed: Number(seed) } : {}) })
  t.diagnostic(`${runCount} histories`)
})
