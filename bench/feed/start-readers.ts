import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Cleanup } from '../cleanup.ts'
import type { ReadersMessage, ReadersOrder } from './readers.ts'

const READERS = fileURLToPath(new URL('readers.ts', import.meta.url))

/** Starts the three readers, who wait then. What is returned resolves when each has all. */
export async function startReaders(
  order: ReadersOrder,
  cleanup: Cleanup,
): Promise<{ through: Promise<void> }> {
  const child = fork(READERS, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  const done = cleanup.add(() => void child.kill())
  const ready = Promise.withResolvers<void>()
  const through = Promise.withResolvers<void>()
  // The caller of the first promise gets the error. The other promise has no caller then.
  through.promise.catch(() => {})
  const fail = (error: Error) => {
    ready.reject(error)
    through.reject(error)
  }
  child.on('message', (message: ReadersMessage) => {
    if ('isReady' in message) return ready.resolve()
    if ('error' in message) fail(new Error(`readers: ${message.error}`))
    else through.resolve()
    child.disconnect()
  })
  child.once('exit', (code, signal) => {
    done()
    fail(new Error(`the readers ended with ${code ?? signal}`))
  })
  child.send(order)
  await ready.promise
  return { through: through.promise }
}
