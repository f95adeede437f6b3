import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { describe, test } from 'node:test'
import { promisify } from 'node:util'
import { MemoryToGiveBack } from '../../src/app/memory/give-back-memory.ts'
import { collectGarbage } from '../support/collect-garbage.ts'

const LARGE = 64 * 1024 * 1024
const externalMemory = () => process.memoryUsage().external

function memoryToGiveBack() {
  const seen = { collections: 0 }
  const collect = async () => {
    seen.collections++
    collectGarbage()
  }
  const memory = new MemoryToGiveBack(collect)
  const now = { ms: 0, cpuMs: 0 }
  /** Ten seconds later, of which so many milliseconds were work. */
  const look = (workMs: number) => {
    now.ms += 10_000
    now.cpuMs += workMs
    return memory.look({ ...now })
  }
  return { seen, look }
}

describe('memory that large requests took', () => {
  test('is given back once the server is quiet', async () => {
    const { look } = memoryToGiveBack()
    await look(0)
    let body: Buffer | null = Buffer.alloc(LARGE)
    const before = externalMemory()
    assert.ok(body.length <= before)
    body = null
    await look(10)
    assert.ok(externalMemory() <= before - LARGE, `${externalMemory()} of ${before}`)
  })

  test('is not looked for while there is work', async () => {
    const { look, seen } = memoryToGiveBack()
    const body = Buffer.alloc(LARGE)
    await look(0)
    await look(5_000)
    assert.equal(seen.collections, 0)
    assert.equal(body.length, LARGE)
  })

  test('is looked for once where it is still needed', async () => {
    const { look, seen } = memoryToGiveBack()
    const body = Buffer.alloc(LARGE)
    for (let n = 0; n < 5; n++) await look(10)
    assert.equal(seen.collections, 1)
    assert.equal(body.length, LARGE)
  })
})

const canTrim = process.platform === 'linux' && process.getBuiltinModule('node:ffi') !== undefined

/** Of 240 MB that were held, by the texts or buffers and then by the allocator. */
const ENOUGH = 160e6

/** In a process of its own: what else this one keeps comes and goes. */
const fillWith = (count: number, make: string) => `
  import { AllocatorToTrim } from '${new URL('../../src/app/memory/allocator.ts', import.meta.url)}'
  const allocator = new AllocatorToTrim()
  allocator.look()
  const make = ${make}
  // The allocator gets pieces of a size from its heap, not from the system, once one was freed.
  for (let n = 0; n < 3; n++) make()
  gc()
  const small = []
  let large = []
  for (let n = 0; n < ${count}; n++) {
    large.push(make())
    small.push(Buffer.allocUnsafeSlow(200).fill(1))
  }
  allocator.look()
  const held = process.memoryUsage.rss()
  large = null
  gc()
  let left = held
  // Buffers are freed by another thread, a moment after they were collected.
  const end = performance.now() + 60_000
  while (left > held - ${ENOUGH} && performance.now() < end) {
    allocator.look()
    await new Promise(setImmediate)
    left = process.memoryUsage.rss()
  }
  console.log(JSON.stringify({ held, left, small: small.length }))
`

describe('what the allocator keeps is given back to the system, too', { skip: !canTrim }, () => {
  for (const [what, count, make] of [
    ['buffers', 4_000, '() => Buffer.allocUnsafeSlow(60_000).fill(1)'],
    [
      'long texts, which are no part of the heap',
      160,
      `() => Buffer.alloc(1_500_000, 'x').toString('latin1')`,
    ],
  ] as const) {
    test(`of ${what}`, async () => {
      const { stdout } = await promisify(execFile)(process.execPath, [
        '--expose-gc',
        '--input-type=module',
        '--eval',
        fillWith(count, make),
      ])
      const { held, left } = JSON.parse(stdout)
      assert.ok(left <= held - ENOUGH, `${left} of ${held}`)
    })
  }
})
