import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import fc from 'fast-check'
import {
  FairSemaphore,
  type FairSemaphoreOptions,
  type Permit,
} from '../../src/platform/concurrency/fair-semaphore.ts'

const newSemaphore = (options: Partial<FairSemaphoreOptions> = {}) =>
  new FairSemaphore({ max: 1, maxQueued: 10, createError: (reason) => new Error(reason), ...options })

const isSettled = async (promise: Promise<unknown>) =>
  (await Promise.race([promise.then(() => true), Promise.resolve(false)])) === true

describe('limits', () => {
  test('hold in total and per key', () => {
    const semaphore = newSemaphore({ max: 10, maxPerKey: 6 })
    assert.ok(semaphore.tryAcquire('a', 6))
    assert.equal(semaphore.tryAcquire('a'), null)
    assert.ok(semaphore.tryAcquire('b', 4))
    assert.equal(semaphore.tryAcquire('c'), null)
  })

  test('a key alone gets half of what leaves as many free, and each further key half of the rest', () => {
    const semaphore = newSemaphore({ max: 64, leavesAsManyFree: true })
    const counts = ['a', 'b', 'c'].map((key) => {
      let count = 0
      while (semaphore.tryAcquire(key)) count++
      return count
    })
    assert.deepEqual(counts, [32, 16, 8])
  })

  test('an exempt key has all permits and a queue of its own', async () => {
    const exemptKey = Symbol('the service')
    const semaphore = newSemaphore({ max: 2, maxPerKey: 1, maxQueued: 1, exemptKey })
    const permits = [semaphore.tryAcquire(exemptKey, 2)]
    const queued = [semaphore.acquire('a'), semaphore.acquire(exemptKey)]
    await assert.rejects(semaphore.acquire('b'), /queue full/)
    await assert.rejects(semaphore.acquire(exemptKey), /queue full/)
    for (const permit of permits) permit?.release()
    assert.equal((await Promise.all(queued)).length, 2)
  })

  test('do not hold for results of work that is done, which count', async () => {
    const semaphore = newSemaphore({ max: 4, maxPerKey: 4 })
    const permits = Array.from({ length: 5 }, () => semaphore.forceAcquire('a'))
    const next = semaphore.acquire('a')
    permits[0]?.release()
    permits[0]?.release()
    assert.equal(await isSettled(next), false, 'a permit is released once')
    permits[1]?.release()
    ;(await next).release()
  })

  test('per key alone: a queued request is granted when its key releases a permit', async () => {
    const semaphore = newSemaphore({ max: Number.POSITIVE_INFINITY, maxPerKey: 1, maxQueued: 1 })
    const permit = semaphore.tryAcquire('a')
    const queued = semaphore.acquire('a')
    permit?.release()
    ;(await queued).release()
  })

  test('a weight that no key could ever hold is rejected at once', async () => {
    const semaphore = newSemaphore({ max: 4, maxPerKey: 2 })
    await assert.rejects(semaphore.acquire('a', 3), /queue full/)
    assert.equal(semaphore.isPossible(2), true)
  })
})

describe('the queue', () => {
  test('is round-robin over the keys', async () => {
    const semaphore = newSemaphore({ max: 4 })
    const permit = await semaphore.acquire('a', 4)
    const order: string[] = []
    const acquire = async (key: string) => {
      const next = await semaphore.acquire(key, 4)
      order.push(key)
      next.release()
    }
    const all = ['a', 'a', 'a', 'b', 'c'].map(acquire)
    permit.release()
    await Promise.all(all)
    assert.deepEqual(order, ['a', 'b', 'c', 'a', 'a'])
  })

  test('lets no small request overtake a large one, unless the key of that is at its limit', async () => {
    const semaphore = newSemaphore({ max: 10, maxPerKey: 6 })
    const full = await semaphore.acquire('a', 6)
    const some = await semaphore.acquire('b', 3)
    const ofFull = semaphore.acquire('a')
    const large = semaphore.acquire('c', 4)
    const small = semaphore.acquire('d')
    assert.equal(semaphore.tryAcquire('e'), null, 'queued requests come first')
    semaphore.tryAcquire('e', 1, true)?.release()
    some.release()
    const next = await large
    assert.equal(await isSettled(small), false)
    assert.equal(await isSettled(ofFull), false)
    full.release()
    for (const permit of [next, await small, await ofFull]) permit.release()
    assert.equal(semaphore.held, 0)
  })

  test('is not blocked by an aborted request', async () => {
    const semaphore = newSemaphore({ max: 10 })
    const permit = await semaphore.acquire('a', 6)
    const { signal, abort } = newController()
    const aborted = semaphore.acquire('b', 5, { signal })
    const next = semaphore.acquire('c', 4)
    assert.equal(await isSettled(next), false)
    abort(new Error('gone'))
    await assert.rejects(aborted, /gone/)
    await assert.rejects(semaphore.acquire('b', 5, { signal }), /gone/)
    for (const one of [permit, await next]) one.release()
    assert.equal(semaphore.held, 0)
  })

  test('is not blocked for longer by further requests of a key whose request timed out', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const semaphore = newSemaphore({ max: 10, timeoutMs: 60_000 })
    await semaphore.acquire('a', 6)
    const heavy = [semaphore.acquire('b', 8), semaphore.acquire('b', 8)]
    const light = semaphore.acquire('c', 2)
    t.mock.timers.tick(59_000)
    const later = semaphore.acquire('b', 8)
    t.mock.timers.tick(1_000)
    for (const one of heavy) await assert.rejects(one, /timeout/)
    ;(await light).release()
    semaphore.rejectQueued()
    await assert.rejects(later, /timeout/)
  })

  test('evicts the last request of the key with most, if that key still has more', async () => {
    const semaphore = newSemaphore({ max: 1 })
    const permit = await semaphore.acquire('a')
    const order: string[] = []
    const rejected: string[] = []
    const wait = (key: string) =>
      semaphore.acquire(key).then(
        (next) => {
          order.push(key)
          next.release()
        },
        () => rejected.push(key),
      )
    const waiting = [...Array(5).fill('greedy'), ...Array(5).fill('eager')].map(wait)
    waiting.push(wait('modest'), wait('modest'), wait('greedy'), wait('shy'))
    permit.release()
    await Promise.all(waiting)
    const count = (keys: string[], key: string) => keys.filter((one) => one === key).length
    assert.deepEqual([count(order, 'modest'), count(order, 'shy')], [2, 1])
    assert.equal(count(order, 'greedy') + count(order, 'eager'), 7)
    assert.equal(count(rejected, 'greedy') + count(rejected, 'eager'), 4)
    assert.equal(semaphore.held, 0)
  })

  test('evicts no key that has one request', async () => {
    const semaphore = newSemaphore({ maxQueued: 2 })
    const permit = await semaphore.acquire('a')
    const waiting = [semaphore.acquire('b'), semaphore.acquire('c')]
    await assert.rejects(semaphore.acquire('d'), /queue full/)
    permit.release()
    for (const one of waiting) (await one).release()
  })
})

describe('preemption', () => {
  const start = (t: TestContext, options: Partial<FairSemaphoreOptions> = {}) => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    let now = 1_000
    t.mock.method(performance, 'now', () => now)
    const preempted: string[] = []
    const semaphore = newSemaphore({ max: 4, maxPerKey: 2, ...options })
    const hold = async (key: string, weight = 1) => {
      const permit = await semaphore.acquire(key, weight)
      permit.makePreemptible(() => preempted.push(key))
      return permit
    }
    const pass = (ms: number) => {
      for (const end = now + ms; now < end; now += 50) t.mock.timers.tick(50)
    }
    return { semaphore, hold, pass, preempted }
  }

  test('takes nothing while no request is queued', async (t) => {
    const { hold, pass, preempted } = start(t)
    await hold('a', 2)
    await hold('b', 2)
    pass(20_000)
    assert.deepEqual(preempted, [])
  })

  test('takes after 3 s, from the key with most the oldest, as many as the queued request needs', async (t) => {
    const { semaphore, hold, pass, preempted } = start(t)
    await hold('b')
    await hold('a')
    await hold('a')
    await hold('c')
    const next = semaphore.acquire('d')
    pass(2_900)
    assert.deepEqual(preempted, [])
    assert.equal(await isSettled(next), false)
    pass(500)
    assert.deepEqual(preempted, ['a'])
    ;(await next).release()
    pass(20_000)
    assert.deepEqual(preempted, ['a'])
  })

  test('takes nothing for a key at its limit, and nothing that is not preemptible', async (t) => {
    const { semaphore, hold, pass, preempted } = start(t)
    await hold('a', 2)
    await semaphore.acquire('b', 2)
    const own = semaphore.acquire('a')
    pass(9_000)
    assert.deepEqual(preempted, [])
    assert.equal(await isSettled(own), false)
  })

  test('takes nothing for a key that would hold no less', async (t) => {
    const { semaphore, hold, pass, preempted } = start(t)
    await hold('a', 2)
    await hold('b', 2)
    const next = semaphore.acquire('c', 2)
    pass(9_000)
    assert.deepEqual(preempted, [])
    assert.equal(await isSettled(next), false)
  })

  test('takes nothing from a key within its share, though the permits of others are too young', async (t) => {
    const { hold, pass, preempted } = start(t, { max: 100, maxPerKey: 100, maxPreemptible: 4 })
    await hold('modest')
    pass(4_000)
    for (let n = 0; n < 8; n++) await hold('greedy')
    pass(2_000)
    assert.deepEqual(preempted, [])
    pass(2_000)
    assert.deepEqual(preempted, Array(5).fill('greedy'))
  })

  test('takes what exceeds the limit of preemptible permits, though no request is queued', async (t) => {
    const { hold, pass, preempted } = start(t, { max: Number.POSITIVE_INFINITY, maxPreemptible: 2 })
    for (const key of ['a', 'a', 'b']) await hold(key)
    pass(3_500)
    assert.deepEqual(preempted, ['a'])
  })

  test('takes from keys with more where a key gets what leaves as many free', async (t) => {
    const { semaphore, hold, pass, preempted } = start(t, { max: 8, maxPerKey: 8, leavesAsManyFree: true })
    for (let n = 0; n < 4; n++) await hold('a')
    await hold('b', 2)
    const next = semaphore.acquire('c', 2)
    pass(3_500)
    assert.deepEqual(preempted, ['a', 'a'])
    ;(await next).release()
  })
})

test('nothing is lost or starved, and no limit is exceeded, in any sequence of operations', async () => {
  const key = fc.constantFrom('a', 'b', 'c')
  const n = fc.nat({ max: 20 })
  const operation = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        do: fc.constant('acquire' as const),
        key,
        weight: fc.integer({ min: 1, max: 5 }),
      }),
    },
    { weight: 3, arbitrary: fc.record({ do: fc.constant('release' as const), n }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('abort' as const), n }) },
  )
  const options = fc.record({
    max: fc.constantFrom(5, 8, Number.POSITIVE_INFINITY),
    maxPerKey: fc.constantFrom(5, 6),
    leavesAsManyFree: fc.boolean(),
  })
  await fc.assert(
    fc.asyncProperty(options, fc.array(operation, { maxLength: 60 }), async (limits, operations) => {
      const semaphore = newSemaphore({ ...limits, maxQueued: 6, maxQueuedPerKey: 4 })
      const held: { key: string; permit: Permit }[] = []
      const controllers: ReturnType<typeof newController>[] = []
      const granted: Record<string, number[]> = { a: [], b: [], c: [] }
      let settled = 0
      const requests: Promise<unknown>[] = []
      for (const [at, one] of operations.entries()) {
        if (one.do === 'acquire') {
          const controller = newController()
          controllers.push(controller)
          const onGrant = (permit: Permit) => {
            settled++
            granted[one.key]?.push(at)
            held.push({ key: one.key, permit })
          }
          const onReject = () => settled++
          requests.push(semaphore.acquire(one.key, one.weight, controller).then(onGrant, onReject))
        } else if (one.do === 'abort') controllers[one.n]?.abort(new Error('gone'))
        else held.splice(one.n, 1)[0]?.permit.release()
        await new Promise(setImmediate)
        assert.ok(semaphore.held <= limits.max)
        for (const key of ['a', 'b', 'c']) {
          const ofKey = held
            .filter((some) => some.key === key)
            .reduce((sum, { permit }) => sum + permit.weight, 0)
          assert.ok(ofKey <= limits.maxPerKey)
        }
      }
      // Once all are released, each queued request is granted in its turn.
      while (held.length > 0) {
        for (const { permit } of held.splice(0)) permit.release()
        await new Promise(setImmediate)
      }
      await Promise.all(requests)
      assert.deepEqual([settled, semaphore.held, semaphore.queued], [requests.length, 0, 0])
      for (const order of Object.values(granted))
        assert.deepEqual(
          order,
          [...order].sort((a, b) => a - b),
        )
    }),
  )
})

function newController() {
  const controller = new AbortController()
  return { signal: controller.signal, abort: (reason: Error) => controller.abort(reason) }
}
