import type { Database } from '../platform/database/database.ts'
import type { PooledConnection } from '../platform/database/pool/pooled-connection.ts'
import { WebhookSecrets } from '../webhooks/webhook-secrets.ts'
import { type AuditedEndpoint, readAuditedEndpoints, readLinks } from './doctor-store.ts'
import { type Finding, fault, ok, warning } from './finding.ts'
import { DELIVERY_PAGE_SIZE } from './limits.ts'

/** Checks failing endpoints, the key of the secrets, and the chains of deliveries. */
export async function checkWebhooks(
  db: Database,
  reads: PooledConnection,
  { all, webhookKey }: { all: boolean; webhookKey: string | null },
): Promise<Finding[]> {
  const endpoints = await readAuditedEndpoints(reads)
  return [
    checkFailing(endpoints),
    await checkKeys(db, endpoints, webhookKey),
    await checkChains(reads, endpoints, all),
  ]
}

function checkFailing(endpoints: readonly AuditedEndpoint[]): Finding {
  const what = 'Webhooks'
  const failing = endpoints.filter(
    ({ disabled, failing }) => failing || disabled === 'failing' || disabled === 'gone',
  )
  if (failing.length === 0) return ok(what, `${endpoints.length} endpoints, none of which fails`)
  const ids = failing.slice(0, 5).map(({ id }) => id)
  return warning(
    what,
    `${failing.length} of ${endpoints.length} endpoints fail or were disabled for it: ${ids.join(', ')}`,
    'Read their deliveries in the dashboard, and inform the owners of the endpoints.',
  )
}

async function checkKeys(
  db: Database,
  endpoints: readonly AuditedEndpoint[],
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
    'Set CLAIMKEEPER_WEBHOOK_KEY to the key that encrypted the secrets, or give these endpoints new secrets.',
  )
}

async function checkChains(
  db: PooledConnection,
  endpoints: readonly AuditedEndpoint[],
  all: boolean,
): Promise<Finding> {
  const what = 'Chains of deliveries'
  const broken: string[] = []
  let examined = 0
  for (const endpoint of endpoints) {
    const { count, brokenAt } = await auditChain(db, endpoint, all)
    examined += count
    if (brokenAt !== null) broken.push(`${endpoint.id} at number ${brokenAt}`)
  }
  if (broken.length === 0)
    return ok(what, `${examined.toLocaleString('en')} deliveries contain the hash of the previous delivery`)
  return fault(
    what,
    `deliveries were changed: ${broken.slice(0, 5).join(', ')}`,
    'The rows were changed in the database, or it is damaged. Compare them with what the receivers have stored.',
  )
}

/** Old deliveries are removed, so the chain begins at the oldest one. Each hash is compared with the previous delivery, if it exists. */
async function auditChain(
  db: PooledConnection,
  { id, lastNumber, lastHash }: AuditedEndpoint,
  all: boolean,
): Promise<{ count: number; brokenAt: number | null }> {
  let previous: { number: number; hash: string } = {
    number: all ? 0 : Math.max(0, lastNumber - DELIVERY_PAGE_SIZE),
    hash: '',
  }
  for (let count = 0; ; ) {
    const links = await readLinks(db, id, previous.number, DELIVERY_PAGE_SIZE)
    for (const link of links) {
      const isNext = previous.hash !== '' && link.number === previous.number + 1
      // The endpoint's row was read first: later deliveries have no counterpart in it.
      const isLast = link.number === lastNumber
      const isRight =
        link.isOfBody &&
        (!isNext || link.previousHash === previous.hash) &&
        (!isLast || link.hash === lastHash)
      if (!isRight) return { count, brokenAt: link.number }
      previous = { number: link.number, hash: link.hash }
      count++
    }
    if (links.length < DELIVERY_PAGE_SIZE) return { count, brokenAt: null }
  }
}
