import assert from 'node:assert/strict'
import { test } from 'node:test'
import { KeyedMutex } from '../../src/platform/concurrency/keyed-mutex.ts'

/** A task that runs until it is ended. */
function blockingTask() {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  return { task: () => promise, end: resolve, fail: reject }
}

test('tasks of one key run one after the other, in the order of their calls', async () => {
  const mutex = new KeyedMutex()
  const order: string[] = []
  const first = blockingTask()
  const a = mutex.runExclusive('key', first.task).then((name) => order.push(name))
  const b = mutex.runExclusive('key', async () => order.push('b'))
  const c = mutex.runExclusive('key', async () => order.push('c'))
  await new Promise(setImmediate)
  assert.deepEqual(order, [])
  first.end('a')
  await Promise.all([a, b, c])
  assert.deepEqual(order, ['a', 'b', 'c'])
})

test('tasks of different keys run concurrently', async () => {
  const mutex = new KeyedMutex()
  const blocked = blockingTask()
  const first = mutex.runExclusive('one', blocked.task)
  assert.equal(await mutex.runExclusive('two', async () => 'two'), 'two')
  blocked.end('one')
  assert.equal(await first, 'one')
})

test('a failing task rejects its caller and does not stop the next task', async () => {
  const mutex = new KeyedMutex()
  const blocked = blockingTask()
  const first = mutex.runExclusive('key', blocked.task)
  const next = mutex.runExclusive('key', async () => 'next')
  blocked.fail(new Error('failed'))
  await assert.rejects(first, { message: 'failed' })
  assert.equal(await next, 'next')
})

test('a task that exceeds its timeout in the queue is rejected and never runs', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const mutex = new KeyedMutex()
  const blocked = blockingTask()
  const first = mutex.runExclusive('key', blocked.task)
  let hasRun = false
  const late = mutex.runExclusive(
    'key',
    async () => {
      hasRun = true
    },
    { timeoutMs: 1_000, error: () => new Error('late') },
  )
  const last = mutex.runExclusive('key', async () => 'last')
  t.mock.timers.tick(1_000)
  await assert.rejects(late, { message: 'late' })
  blocked.end('first')
  assert.equal(await first, 'first')
  assert.equal(await last, 'last')
  assert.equal(hasRun, false)
})

test('a timeout does not end a task that has started', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const mutex = new KeyedMutex()
  const started = Promise.withResolvers<void>()
  const blocked = blockingTask()
  const task = () => {
    started.resolve()
    return blocked.task()
  }
  const running = mutex.runExclusive('key', task, { timeoutMs: 1_000, error: () => new Error('late') })
  await started.promise
  t.mock.timers.tick(1_000)
  blocked.end('done')
  assert.equal(await running, 'done')
})
