import type { Attack } from '../attack.ts'
import { flood, get, post, request } from '../requests.ts'

/** As much as there may be: 100 KB. */
const LARGEST = Object.fromEntries(
  Array.from({ length: 50 }, (_, i) => [`${i}`.padEnd(40, 'k'), '🙂'.repeat(500)]),
)
const LISTS = ['/v1/claims?limit=100', '/v1/claims?limit=100&price_from=0', '/v1/claims/export']

export const metadataAttacks: Attack[] = [
  {
    name: 'read-metadata',
    description: '40 connections read lists and exports of claims with 100 KB of metadata each',
    prepare: async (stage) => {
      await stage.claims({ count: stage.many(1_000), metadata: LARGEST })
      return {}
    },
    run: (target, signal) =>
      flood(target, signal, { connections: 40 }, (number) =>
        get(target, LISTS[number % LISTS.length] as string),
      ),
  },
  {
    name: 'change-metadata',
    description: '32 connections change 100 KB of metadata of one claim, to which they also submit',
    prepare: async (stage) => ({ claim: await stage.claims({ count: 1 }) }),
    run: (target, signal) => {
      const path = `/v1/claims/${target.prepared.claim}`
      return flood(target, signal, { connections: 32 }, (number) => {
        if (number % 2 === 0) return post(target, `${path}/events`, { type: 'note' })
        const metadata = { ...LARGEST, ['0'.padEnd(40, 'k')]: `${number}` }
        return request(target, 'PATCH', path, { body: JSON.stringify({ metadata }) })
      })
    },
  },
]
