import assert from 'node:assert/strict'
import { pino } from 'pino'
import { Accounts } from '../../simulate/fuzz/accounts.ts'
import { ApiDocument } from '../../simulate/fuzz/api-document.ts'
import { fuzz } from '../../simulate/fuzz/fuzz.ts'
import { toCurl } from '../../simulate/fuzz/request.ts'
import { seeded } from '../../simulate/random.ts'
import type { Scope } from '../support/test-database.ts'
import { startTestService } from '../support/test-service.ts'

/** On a busy machine MAX_MS ends a run with fewer requests. */
const REQUESTS = 2_000
const MAX_MS = 3_000
const CLIENTS = 4

/** A service to fuzz. `fuzzWithSeed` sends the requests of a seed and compares each response with `document`. */
export async function prepareFuzz(t: Scope) {
  const errors: string[] = []
  const log = pino({ level: 'error' }, { write: (line: string) => void errors.push(line) })
  const service = await startTestService(t, { log, maxSchemas: 30, maxCalendars: 30 })
  const document = await ApiDocument.of(service.url)
  const accounts = new Accounts(service.app, service.url)

  const fuzzWithSeed = async (seed: number, reachErrors: boolean) => {
    let sent = 0
    // Counted from the first random request: the preparation takes long on a busy machine.
    let endsAt = Number.POSITIVE_INFINITY
    const { stats, findings } = await fuzz({
      document,
      url: service.url,
      random: seeded(seed),
      requests: REQUESTS,
      clients: CLIENTS,
      newAccount: (signedIn) => accounts.make(signedIn),
      usesOtherAccount: true,
      fullAccount: reachErrors ? () => accounts.makeFull() : null,
      keepGoing: false,
      progress: () => {
        if (sent++ === 0) endsAt = performance.now() + MAX_MS
      },
      shouldStop: () => performance.now() > endsAt,
    })
    const found = findings.map(({ finding }) => `${finding.message}\n${toCurl(finding.request, service.url)}`)
    assert.equal(found.join('\n\n'), '')
    assert.ok(sent > CLIENTS, `only ${sent} random requests`)
    assert.deepEqual(errors, [])
    assert.equal((await service.api.get('/readyz')).status, 200)
    return stats
  }

  return { document, fuzzWithSeed }
}
