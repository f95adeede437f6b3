import type { Database } from '../platform/database/database.ts'
import type { PooledConnection } from '../platform/database/pool/pooled-connection.ts'
import { WebhookSecrets } from '../webhooks/webhook-secrets.ts'
import { type EndpointToHold, readEndpointsToHold, readLinks } from './doctor-store.ts'
import { type Finding, fault, ok, warning } from './finding.ts'

const PAGE = 1_000

/** Whether webhooks arrive, whether they can be signed, and whether their chains hold. */
export async function checkWebhooks(
  db: Database,
  borrower: PooledConnection,
  { all, webhookKey }: { all: boolean; webhookKey: string | null },
): Promise<Finding[]> {
  const endpoints = await readEndpointsToHold(borrower)
  return [
    checkFailing(endpoints),
    await checkKeys(db, endpoints, webhookKey),
    await checkChains(borrower, endpoints, all),
  ]
}

function checkFailing(endpoints: readonly EndpointToHold[]): Finding {
  const what = 'Webhooks'
  const failing = endpoints.filter(
    ({ disabled, failing }) => failing || disabled === 'failing' || disabled === 'gone',
  )
  if (failing.length === 0) return ok(what, `${endpoints.length} endpoints, none of which fails`)
  const ids = failing.slice(0, 5).map(({ id }) => id)
  return warning(
    what,
    `${failing.length} of ${endpoints.length} endpoints fail or were disabled for it: ${ids.join(', ')}`,
    'Look at their deliveries in the dashboard, and tell those who receive them.',
  )
}

async function checkKeys(
  db: Database,
  endpoints: readonly EndpointToHold[],
  key: string | null,
): Promise<Finding> {
  const what = 'Webhook key'
  if (endpoints.length === 0) return ok(what, 'nothing to decrypt')
  const secrets = new WebhookSecrets(db, key)
  await secrets.start()
  const lost = endpoints.filter(({ id, secret }) => {
    try {
      return secrets.decrypt(secret, id) === ''
    } catch {
      return true
    }
  })
  if (lost.length === 0) return ok(what, `it decrypts the secrets of all ${endpoints.length} endpoints`)
  return fault(
    what,
    `the secrets of ${lost.length} of ${endpoints.length} endpoints cannot be decrypted`,
    'Set CLAIMKEEPER_WEBHOOK_KEY to the key that they were made with, or give these endpoints new secrets.',
  )
}

async function checkChains(
  db: PooledConnection,
  endpoints: readonly EndpointToHold[],
  all: boolean,
): Promise<Finding> {
  const what = 'Chains of deliveries'
  const broken: string[] = []
  let looked = 0
  for (const endpoint of endpoints) {
    const { count, brokenAt } = await followChain(db, endpoint, all)
    looked += count
    if (brokenAt !== null) broken.push(`${endpoint.id} at number ${brokenAt}`)
  }
  if (broken.length === 0)
    return ok(what, `${looked.toLocaleString('en')} deliveries name the hash of the one before`)
  return fault(
    what,
    `deliveries were changed: ${broken.slice(0, 5).join(', ')}`,
    'Somebody has changed them in the database, or it is damaged. Receivers have what was sent: compare with theirs.',
  )
}

/** Old deliveries are removed: a chain begins at the oldest, and each is held to the one before it if that is there. */
async function followChain(
  db: PooledConnection,
  { id, lastNumber, lastHash }: EndpointToHold,
  all: boolean,
): Promise<{ count: number; brokenAt: number | null }> {
  let before: { number: number; hash: string } = {
    number: all ? 0 : Math.max(0, lastNumber - PAGE),
    hash: '',
  }
  for (let count = 0; ; ) {
    const links = await readLinks(db, id, before.number, PAGE)
    for (const link of links) {
      const isNext = before.hash !== '' && link.number === before.number + 1
      // Made since the endpoint was read: it names a later one.
      const isEnd = link.number === lastNumber
      const isRight =
        link.isOfBody && (!isNext || link.previousHash === before.hash) && (!isEnd || link.hash === lastHash)
      if (!isRight) return { count, brokenAt: link.number }
      before = { number: link.number, hash: link.hash }
      count++
    }
    if (links.length < PAGE) return { count, brokenAt: null }
  }
}
