import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Cleanup } from '../cleanup.ts'
import type { ReadersMessage, ReadersOrder } from './readers.ts'

const READERS = fileURLToPath(new URL('readers.ts', import.meta.url))

/** Starts the three readers. The returned promise `done` resolves when each reader has all notifications. */
export async function startReaders(order: ReadersOrder, cleanup: Cleanup): Promise<{ done: Promise<void> }> {
  const child = fork(READERS, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  const removeCleanup = cleanup.add(() => void child.kill())
  const ready = Promise.withResolvers<void>()
  const done = Promise.withResolvers<void>()
  // The caller of the first promise gets the error. The other promise has no caller then.
  done.promise.catch(() => {})
  const fail = (error: Error) => {
    ready.reject(error)
    done.reject(error)
  }
  child.on('message', (message: ReadersMessage) => {
    if ('isReady' in message) return ready.resolve()
    if ('error' in message) fail(new Error(`readers: ${message.error}`))
    else done.resolve()
    child.disconnect()
  })
  child.once('exit', (code, signal) => {
    removeCleanup()
    fail(new Error(`the readers ended with ${code ?? signal}`))
  })
  child.send(order)
  await ready.promise
  return { done: done.promise }
}
