import type { Attack, Target } from '../attack.ts'
import {
  answersInterim,
  answersWithoutEnd,
  type Behaviour,
  drips,
  floodsHeaders,
  hangs,
  receive,
  receiveWell,
  refuses,
} from '../bad-receivers.ts'
import { flood, get, post, request } from '../requests.ts'
import { LARGE_CONTRACT, OPEN_CONTRACT, type Stage } from '../stage.ts'
import { pause } from '../wire.ts'

/** As many as an account may have. */
const ENDPOINTS = 50
const ENDPOINTS_PATH = '/v1/webhook_endpoints'
const MANY_DELIVERIES = 50_000

async function postJson({ url, account }: Target, path: string, body: object): Promise<{ id: string }> {
  const response = await fetch(url + path, {
    method: 'POST',
    headers: { Authorization: `Bearer ${account.token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`)
  return (await response.json()) as { id: string }
}

/** Makes them one after the other. Returns their ids. */
async function addEndpoints(target: Target, url: string, count = ENDPOINTS): Promise<string[]> {
  const ids: string[] = []
  for (let n = 0; n < count; n++)
    ids.push((await postJson(target, ENDPOINTS_PATH, { url: `${url}/${n}` })).id)
  return ids
}

const claimsOf = ({ account }: Target, count: number, contract: object = OPEN_CONTRACT) => ({
  claims: Array.from({ length: count }, () => ({ customer_id: account.customerId, contract })),
})

/** 100 claims a second. All endpoints get a notification of each. */
async function tellOn(target: Target, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await postJson(target, '/v1/claims/batch', claimsOf(target, 20))
    await pause(200, signal)
  }
}

/** 50 endpoints whose receiver behaves so, and something to tell them. */
const toReceiver =
  (behaviour: Behaviour): Attack['run'] =>
  async (target, signal) => {
    await addEndpoints(target, await receive(behaviour, signal))
    await tellOn(target, signal)
  }

/** An endpoint that is disabled, with thousands of deliveries. */
async function manyDeliveries(stage: Stage): Promise<Record<string, string>> {
  const { id } = await stage.post(ENDPOINTS_PATH, { url: 'http://127.0.0.1:1024/', enabled: false })
  const endpoint = id as string
  await stage.deliveries(endpoint, stage.many(MANY_DELIVERIES))
  return { endpoint }
}

const EVER = { from: '2000-01-01T00:00:00Z', to: '2100-01-01T00:00:00Z' }

export const webhookAttacks: Attack[] = [
  {
    name: 'webhooks-hang',
    description: '50 webhook endpoints take what is sent and never answer',
    run: toReceiver(hangs),
  },
  {
    name: 'webhooks-endless-answers',
    description: '50 webhook endpoints answer without end, as fast as it goes',
    run: toReceiver(answersWithoutEnd),
  },
  {
    name: 'webhooks-endless-headers',
    description: '50 webhook endpoints answer with headers without end',
    run: toReceiver(floodsHeaders),
  },
  {
    name: 'webhooks-interim-answers',
    description: '50 webhook endpoints send interim answers without end',
    run: toReceiver(answersInterim),
  },
  {
    name: 'webhooks-drip',
    description: '50 webhook endpoints answer a byte at a time',
    run: toReceiver(drips),
  },
  {
    name: 'webhooks-refused',
    description: '50 webhook endpoints refuse all that is sent, and close their connections',
    run: toReceiver(refuses),
  },
  {
    name: 'webhooks-storm',
    description: '50 webhook endpoints that answer, and batches of 100 claims created on 4 connections',
    run: async (target, signal) => {
      await addEndpoints(target, await receiveWell(signal))
      const body = JSON.stringify(claimsOf(target, 100))
      await flood(target, signal, { connections: 4 }, () => post(target, '/v1/claims/batch', body))
    },
  },
  {
    name: 'webhooks-large',
    description: '50 webhook endpoints that never answer, and claims with contracts of 60 KiB',
    run: async (target, signal) => {
      await addEndpoints(target, await receive(hangs, signal))
      while (!signal.aborted) {
        await postJson(target, '/v1/claims/batch', claimsOf(target, 100, LARGE_CONTRACT))
        await pause(500, signal)
      }
    },
  },
  {
    name: 'webhooks-large-answered',
    description: '50 webhook endpoints that answer, and claims with contracts of 60 KiB',
    run: async (target, signal) => {
      await addEndpoints(target, await receiveWell(signal))
      while (!signal.aborted) {
        await postJson(target, '/v1/claims/batch', claimsOf(target, 100, LARGE_CONTRACT))
        await pause(500, signal)
      }
    },
  },
  {
    name: 'webhooks-changes',
    description: '64 connections change 50 webhook endpoints, give them new secrets and have tests sent',
    run: async (target, signal) => {
      const ids = await addEndpoints(target, await receiveWell(signal))
      const renders = [
        (path: string, n: number) =>
          request(target, 'PATCH', path, { body: JSON.stringify({ description: `${n}` }) }),
        (path: string, n: number) =>
          request(target, 'PATCH', path, { body: JSON.stringify({ enabled: n % 3 > 0 }) }),
        (path: string) => post(target, `${path}/rotate_secret`, {}),
        (path: string) => post(target, `${path}/test`, {}),
      ]
      await flood(target, signal, { connections: 64 }, (n) => {
        const render = renders[n % renders.length] as (path: string, n: number) => string
        return render(`${ENDPOINTS_PATH}/${ids[(n >> 2) % ids.length]}`, n)
      })
    },
  },
  {
    name: 'webhooks-tests-of-one',
    description: '64 connections have tests sent to one webhook endpoint',
    run: async (target, signal) => {
      const [id] = await addEndpoints(target, await receiveWell(signal), 1)
      await flood(target, signal, { connections: 64 }, () => post(target, `${ENDPOINTS_PATH}/${id}/test`, {}))
    },
  },
  {
    name: 'webhooks-come-and-go',
    description: '32 connections add webhook endpoints, and 32 remove them',
    run: async (target, signal) => {
      const url = await receiveWell(signal)
      const ids = await addEndpoints(target, url)
      await Promise.all([
        flood(target, signal, { connections: 32 }, () => post(target, ENDPOINTS_PATH, { url })),
        flood(target, signal, { connections: 32 }, (n) =>
          request(target, 'DELETE', `${ENDPOINTS_PATH}/${ids[n % ids.length]}`),
        ),
      ])
    },
  },
  {
    name: 'webhooks-ranges-again',
    description: '16 connections ask for 50,000 deliveries of one endpoint to be made again',
    prepare: manyDeliveries,
    run: (target, signal) =>
      flood(target, signal, { connections: 16 }, () =>
        post(target, `${ENDPOINTS_PATH}/${target.prepared.endpoint}/redeliver`, EVER),
      ),
  },
  {
    name: 'webhooks-again-and-again',
    description: '16 connections ask for all deliveries again, of 50,000 that an endpoint answers at once',
    prepare: manyDeliveries,
    run: async (target, signal) => {
      const path = `${ENDPOINTS_PATH}/${target.prepared.endpoint}`
      const change = { url: await receiveWell(signal), enabled: true }
      await flood(target, signal, { connections: 16 }, (n) =>
        n < 16
          ? request(target, 'PATCH', path, { body: JSON.stringify(change) })
          : post(target, `${path}/redeliver`, EVER),
      )
    },
  },
  {
    name: 'webhooks-read',
    description:
      '32 connections list 50 webhook endpoints with their health, and the deliveries of one that has 50,000',
    prepare: async (stage) => {
      const { endpoint } = await manyDeliveries(stage)
      for (let n = 1; n < ENDPOINTS; n++) {
        const { id } = await stage.post(ENDPOINTS_PATH, { url: 'http://127.0.0.1:1024/', enabled: false })
        await stage.deliveries(id as string, stage.many(1_000))
      }
      return { endpoint: endpoint as string }
    },
    run: (target, signal) =>
      flood(target, signal, { connections: 32 }, (n) =>
        get(
          target,
          n % 2 === 0
            ? ENDPOINTS_PATH
            : `/v1/webhook_deliveries?endpoint_id=${target.prepared.endpoint}&limit=100&status=failed`,
        ),
      ),
  },
]
