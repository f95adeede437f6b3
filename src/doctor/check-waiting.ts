import { readLags, readOverdueLag } from '../checks/lag-store.ts'
import type { Connection } from '../platform/database/connection.ts'
import { type Finding, fault, ok, warning } from './finding.ts'

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
