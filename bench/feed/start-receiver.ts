import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Cleanup } from '../cleanup.ts'
import type { Received, ReceiverMessage, ReceiverOrder } from './receiver.ts'

const RECEIVER = fileURLToPath(new URL('receiver.ts', import.meta.url))

export interface Receiver {
  url: string
  forget: () => void
  /** What has come once that number of different deliveries has. Rejects if that takes longer. */
  until: (deliveries: number, withinMs: number) => Promise<Received>
}

/** Starts one that goes on to the end of the run. */
export async function startReceiver(cleanup: Cleanup): Promise<Receiver> {
  const child = fork(RECEIVER, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  cleanup.add(() => void child.kill())
  const message = () =>
    new Promise<ReceiverMessage>((resolve, reject) => {
      const end = () => reject(new Error('the receiver of webhooks has ended'))
      child.once('exit', end)
      child.once('message', (said: ReceiverMessage) => {
        child.off('exit', end)
        resolve(said)
      })
    })
  const order = (what: ReceiverOrder) => void child.send(what)
  const first = await message()
  if (!('url' in first)) throw new Error('the receiver of webhooks has not said where it is')
  return {
    url: first.url,
    forget: () => order({ forget: true }),
    until: async (deliveries, withinMs) => {
      const told = message()
      order({ tellAt: deliveries })
      const said = await within(withinMs, told, `${deliveries} deliveries`)
      if (!('received' in said)) throw new Error('the receiver of webhooks has told something else')
      return said.received
    },
  }
}

/** @param what for the error */
export async function within<T>(ms: number, work: Promise<T>, what: string): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error(`${what} have not come within ${ms / 1000} s`)), ms)
  try {
    return await Promise.race([work, promise])
  } finally {
    clearTimeout(timer)
  }
}
