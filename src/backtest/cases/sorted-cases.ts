import type { Case } from '../backtest.ts'
import { inOrderOfTime, type LogRow } from '../log/log-row.ts'
import type { RowOrder } from './row-order.ts'
import { SeenCases } from './seen-cases.ts'

/** Groups the rows of a log into cases, in the order of their first rows. */
export interface CaseGrouping {
  add(row: LogRow): void
  finish(): void
}

/** A case that was finished appears again: the log is not sorted by case. */
export class CaseAppearsAgain extends Error {
  readonly caseId: string
  readonly line: number

  constructor({ caseId, line }: LogRow) {
    super(`case "${caseId}" appears again on line ${line}`)
    this.caseId = caseId
    this.line = line
  }
}

/** The log was read to its end and is newest first. It must be read again with its cases reversed. */
export class NewestFirst extends Error {}

/** Holds one case at a time: it is finished as soon as the next one begins. */
export class SortedCases implements CaseGrouping {
  readonly #order: RowOrder
  readonly #onCase: (found: Case) => void
  readonly #seen = new SeenCases()
  #caseId: string | null = null
  #rows: LogRow[] = []

  constructor(onCase: (found: Case) => void, order: RowOrder) {
    this.#onCase = onCase
    this.#order = order
  }

  /** @throws CaseAppearsAgain */
  add(row: LogRow): void {
    if (row.caseId !== this.#caseId) {
      this.finish()
      if (!this.#seen.add(row.caseId)) throw new CaseAppearsAgain(row)
      this.#caseId = row.caseId
    }
    this.#order.add(row.at, this.#rows.at(-1)?.at ?? null)
    this.#rows.push(row)
  }

  finish(): void {
    if (this.#caseId === null) return
    const openedAt = this.#rows.find((row) => row.openedAt !== null)?.openedAt ?? null
    const hasConflictingOpenings = this.#rows.some(
      (row) => row.openedAt !== null && row.openedAt !== openedAt,
    )
    if (this.#order.isReversed) this.#rows.reverse()
    this.#onCase({ id: this.#caseId, openedAt, hasConflictingOpenings, events: inOrderOfTime(this.#rows) })
    this.#rows = []
    this.#caseId = null
  }
}
