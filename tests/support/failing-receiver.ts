import type { ServerResponse } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { Webhook } from 'standardwebhooks'
import type { Scope } from './test-database.ts'
import { type Received, startWebhookReceiver } from './webhook-receiver.ts'

/** What came to one endpoint. */
export interface Hook {
  url: string
  received: Received[]
  /** How often each number was answered 200. */
  taken: Map<number, number>
  /** What one sender at a time, who signs each, does not do. */
  faults: string[]
}

export interface FailingReceiver {
  /** @param secret under which its deliveries are signed, once it is known */
  hook: (path: string, secret: Promise<string>) => Hook
}

const SLOW_MS = 100

/** Failures instead of accepting a delivery, each with its percentage of the deliveries. */
const FAILURES: readonly [percent: number, fail: (response: ServerResponse) => unknown][] = [
  [15, (response) => response.writeHead(500).end('not now')],
  [10, (response) => response.destroy()],
  [5, (response) => pause(SLOW_MS).then(() => response.writeHead(503).end())],
]

function drawFailure(): ((response: ServerResponse) => unknown) | null {
  let place = Math.random() * 100
  for (const [percent, fail] of FAILURES) {
    if (place < percent) return fail
    place -= percent
  }
  return null
}

/** A real receiver that fails 30 times in 100: says so, breaks the connection, or is slow as well. */
export async function startFailingReceiver(t: Scope): Promise<FailingReceiver> {
  const receiver = await startWebhookReceiver(t)
  const hooks = new Map<string, { hook: Hook; secret: Promise<string>; open: Set<number> }>()
  receiver.answer(async (response, one) => {
    const { hook, secret, open } = hooks.get(one.path) as NonNullable<ReturnType<typeof hooks.get>>
    const number = Number(one.headers['claimkeeper-delivery-number'])
    hook.received.push(one)
    if (open.has(number)) hook.faults.push(`${number}: came while it was being answered`)
    open.add(number)
    response.once('close', () => open.delete(number))
    try {
      new Webhook(await secret).verify(one.body, one.headers as Record<string, string>)
    } catch (error) {
      hook.faults.push(`${number}: ${error}`)
    }
    const fail = drawFailure()
    if (fail) return fail(response)
    response.once('finish', () => hook.taken.set(number, (hook.taken.get(number) ?? 0) + 1))
    return response.end('ok')
  })
  return {
    hook: (path, secret) => {
      const hook: Hook = { url: receiver.url + path, received: [], taken: new Map(), faults: [] }
      hooks.set(path, { hook, secret, open: new Set() })
      return hook
    },
  }
}
