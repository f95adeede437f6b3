import type { ServerResponse } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { Webhook } from 'standardwebhooks'
import type { Scope } from './test-database.ts'
import { type Received, startWebhookReceiver } from './webhook-receiver.ts'

/** The deliveries of one endpoint. */
export interface Hook {
  url: string
  received: Received[]
  /** Number of 200 responses for each delivery number. */
  taken: Map<number, number>
  /** Violations: concurrent senders, missing signatures. */
  faults: string[]
}

export interface FailingReceiver {
  /** @param secret of its signatures, once it is known */
  hook: (path: string, secret: Promise<string>) => Hook
}

const SLOW_MS = 100

/** Failures instead of a 200, with their percentages. */
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

/** A real receiver with 30 % failures: error responses, broken connections, slow responses. */
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
