import { NIL as FIRST_ID } from 'uuid'
import { readLags, readOverdueLag } from '../checks/lag-store.ts'
import { candidateId } from '../claims/claim-ids.ts'
import { findContradictions } from '../core/claims/recompute.ts'
import { byWeight } from '../kernel/by-weight.ts'
import type { Connection } from '../platform/database/connection.ts'
import { DatabaseUnavailable } from '../platform/database/database-unavailable.ts'
import type { PooledConnection } from '../platform/database/pool/pooled-connection.ts'
import {
  type ClaimWeight,
  countClaims,
  drawClaims,
  isStandby,
  type ReadLife,
  readClaimsAfter,
  readLives,
} from './doctor-store.ts'
import { type Finding, fault, ok, warning } from './finding.ts'
import { tryDecisions, Undecidable } from './try-decisions.ts'

const SAMPLE = 1_000
const PAGE = 500
/** Of claims and logs that are read at a time. */
const BYTES_AT_ONCE = 4 * 1024 * 1024
/** Claims that are named. */
const MOST_NAMED = 10

/** Decides a sample of the claims, or all, anew from their contracts and logs. */
export async function checkClaims(
  db: Connection,
  { all, advance }: { all: boolean; advance: (claims: number, ofAll: number) => void },
): Promise<Finding> {
  const ofAll = await countClaims(db)
  const chosen = all ? allClaims(db) : [await drawClaims(db, SAMPLE, ofAll)]
  const wrong: string[] = []
  let [looked, contradicting] = [0, 0]
  for await (const page of chosen) {
    for (const some of byWeight(page, ({ bytes }) => bytes, { mostWeight: BYTES_AT_ONCE, mostItems: PAGE })) {
      const lives = await readLives(
        db,
        some.map(({ id }) => id),
      )
      for (const life of lives) {
        const found = contradictionsOf(life)
        if (found.length > 0) contradicting++
        if (found.length > 0 && wrong.length < MOST_NAMED) wrong.push(`${nameOf(life)}: ${found.join('; ')}`)
      }
      looked += lives.length
      advance(looked, ofAll)
    }
  }
  const what = 'Claims'
  const number = `${looked.toLocaleString('en')} of ${ofAll.toLocaleString('en')}`
  if (contradicting === 0) return ok(what, `${number} follow from their contracts and logs`)
  return fault(
    what,
    `${contradicting.toLocaleString('en')} of ${looked.toLocaleString('en')} do not follow from their contracts and logs: ${wrong.join('. ')}`,
    'Somebody has changed them in the database, or it is damaged. Keep it as it is, and compare it with a backup (claimkeeper doctor --backup).',
  )
}

async function* allClaims(db: Connection): AsyncGenerator<ClaimWeight[]> {
  for (let after: string = FIRST_ID; ; ) {
    const page = await readClaimsAfter(db, after, PAGE)
    const last = page.at(-1)
    if (!last) return
    yield page
    after = last.id
  }
}

function contradictionsOf({ id, alias, contract, isContractRight, stored, items }: ReadLife): string[] {
  if (contract === null) return ['its contract is missing']
  const others = [
    ...(isContractRight ? [] : ['its contract is not the one that it was made with']),
    ...(alias === null || candidateId(alias) === id
      ? []
      : ['its alias is not the one that it was made with']),
  ]
  return [...others, ...findContradictions(contract, stored, items)]
}

const nameOf = ({ id, alias }: ReadLife) => (alias === null ? id : `candidate ${alias}`)

/** In seconds: two checks that did not come. */
const OVERDUE = 120
const HELD = { warning: 10, fault: 60 }
const DUE_DELIVERY = 60

/** What waits in the database for longer than it should. */
export async function checkWaiting(db: Connection): Promise<Finding[]> {
  const { heldFeed, dueDelivery } = await readLags(db)
  return [checkOverdue(await readOverdueLag(db)), checkFeed(heldFeed), checkDeliveries(dueDelivery)]
}

function checkOverdue(seconds: number): Finding {
  const what = 'Overdue claims'
  if (seconds <= OVERDUE) return ok(what, seconds > 0 ? `the oldest by ${inWords(seconds)}` : 'none')
  return fault(
    what,
    `the oldest by ${inWords(seconds)}: no scheduled check comes to an end`,
    'Look whether a server runs, and what its log says of the checks.',
  )
}

function checkFeed(seconds: number): Finding {
  const what = 'Feeds of notifications'
  const found = `held back for ${inWords(seconds)} by a transaction`
  const advice =
    'Look in pg_stat_activity for what is open, and end it by pg_terminate_backend if nobody needs it.'
  if (seconds > HELD.fault) return fault(what, found, advice)
  return seconds > HELD.warning ? warning(what, found, advice) : ok(what, 'not held back')
}

function checkDeliveries(seconds: number): Finding {
  const what = 'Deliveries of webhooks'
  if (seconds <= DUE_DELIVERY) return ok(what, 'none waits for a server')
  return warning(
    what,
    `the oldest waits for ${inWords(seconds)}`,
    'Look whether a server runs, and what its log says.',
  )
}

const inWords = (seconds: number) =>
  seconds < 120 ? `${Math.round(seconds)} s` : `${Math.round(seconds / 60)} min`

const WHAT = 'Decisions'

/** Whether the database lets claims be created, settled, checked and advanced. The attempt is rolled back. */
export async function checkDecisions(db: PooledConnection): Promise<Finding> {
  if (db.distribution.isOn) return ok(WHAT, 'not tried on distributed tables')
  if (await isStandby(db))
    return warning(WHAT, 'not tried: this is a standby, which accepts no writes', 'Examine the primary too.')
  try {
    return (await tryDecisions(db))
      ? ok(WHAT, 'a claim can be created, settled, checked and advanced')
      : warning(WHAT, 'not tried: others hold locks', 'Find open transactions in pg_stat_activity.')
  } catch (error) {
    if (error instanceof Undecidable) return fault(WHAT, error.message, 'Undo the change in the database.')
    if (!(error instanceof DatabaseUnavailable)) throw error
    const { cause } = error
    return fault(
      WHAT,
      `not tried: ${(cause instanceof Error ? cause : error).message}`,
      'Allow writes to the database.',
    )
  }
}
