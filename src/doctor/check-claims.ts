import { NIL as FIRST_ID } from 'uuid'
import { candidateId } from '../claims/candidate-id.ts'
import { findContradictions } from '../core/claims/recompute.ts'
import { byWeight } from '../kernel/by-weight.ts'
import type { Connection } from '../platform/database/connection.ts'
import { type Finding, fault, ok } from './finding.ts'
import {
  type ClaimWeight,
  countClaims,
  drawClaims,
  type ReadLife,
  readClaimsAfter,
  readLives,
} from './lives-store.ts'

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
