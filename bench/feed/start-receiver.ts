import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Cleanup } from '../cleanup.ts'
import type { Received, ReceiverMessage, ReceiverOrder } from './receiver.ts'

const RECEIVER = fileURLToPath(new URL('receiver.ts', import.meta.url))

export interface Receiver {
  url: string
  forget: () => void
  /** Waits for this number of different deliveries. Rejects if it takes longer. */
  until: (deliveries: number, withinMs: number) => Promise<Received>
}

/** Starts a receiver that runs until the end of the benchmark. */
export async function startReceiver(cleanup: Cleanup): Promise<Receiver> {
  const child = fork(RECEIVER, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  cleanup.add(() => void child.kill())
  const nextMessage = () =>
    new Promise<ReceiverMessage>((resolve, reject) => {
      const end = () => reject(new Error('the webhook receiver ended'))
      child.once('exit', end)
      child.once('message', (message: ReceiverMessage) => {
        child.off('exit', end)
        resolve(message)
      })
    })
  const send = (order: ReceiverOrder) => void child.send(order)
  const first = await nextMessage()
  if (!('url' in first)) throw new Error('the webhook receiver did not report its URL')
  return {
    url: first.url,
    forget: () => send({ forget: true }),
    until: async (deliveries, withinMs) => {
      const report = nextMessage()
      send({ reportAt: deliveries })
      const message = await withTimeout(withinMs, report, `${deliveries} deliveries`)
      if (!('received' in message)) throw new Error('the webhook receiver sent an unexpected message')
      return message.received
    },
  }
}

/** @param what subject of the error message, in the plural */
export async function withTimeout<T>(ms: number, work: Promise<T>, what: string): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error(`${what} did not arrive within ${ms / 1000} s`)), ms)
  try {
    return await Promise.race([work, promise])
  } finally {
    clearTimeout(timer)
  }
}
