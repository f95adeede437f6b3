import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { MemoryToGiveBack } from '../../src/app/give-back-memory.ts'
import { collectGarbage } from '../support/collect-garbage.ts'

const LARGE = 64 * 1024 * 1024
const externalMemory = () => process.memoryUsage().external

function memoryToGiveBack() {
  const seen = { collections: 0 }
  const memory = new MemoryToGiveBack(async () => {
    seen.collections++
    collectGarbage()
  })
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
