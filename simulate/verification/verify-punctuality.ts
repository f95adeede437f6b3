import type { FaultPeriods } from '../clients/fault-periods.ts'
import type { ClaimRecord } from '../clients/records.ts'
import { firstCheckOf, type State } from '../model/contract.ts'
import { assert } from '../model/finding.ts'
import { replay } from '../model/replay.ts'

const MINUTE_MS = 60_000
/** Milliseconds after the end of a fault in which its effects are accepted. */
const RECOVERY_MS = 20_000

/** §3 rule 1: a due claim is moved by the check of its minute, except during faults. Not checked when clocks are stepped. */
export function verifyPunctuality({ name, terms, longest }: ClaimRecord, faultPeriods: FaultPeriods): void {
  const states = replay(terms, longest)
  for (const [i, { system, created_at }] of longest.entries()) {
    if (!system) continue
    const first = firstCheckOf(states[i] as State)
    const at = Date.parse(created_at)
    assert(
      at < first + MINUTE_MS || faultPeriods.overlaps(first, at, RECOVERY_MS),
      () => `${name} was due at the check of ${iso(first)}, and moved by that of ${iso(at)}`,
    )
  }
}

const iso = (time: number) => new Date(time).toISOString()
