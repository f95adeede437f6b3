import { Examples } from '../../../domain/backtest/field-statistics.ts'
import { similarityKey } from '../../../domain/backtest/similar-texts.ts'
import { SeenCases } from '../cases/seen-cases.ts'

const MAX_REMEMBERED = 1000

/** Finds cases that may be one for people: their ids differ only by blanks, letter case or Unicode form. */
export class CaseIds {
  readonly #keys = new SeenCases()
  /** Ids with blanks around them, by their keys: the first of two similar ids may be the odd one. */
  readonly #blank = new Map<string, string>()
  /** Ids that are similar to one before them. */
  readonly similar = new Examples()

  /** Takes each case once. */
  add(caseId: string, line: number): void {
    const key = similarityKey(caseId)
    if (!this.#keys.add(key)) {
      const other = this.#blank.get(key)
      this.similar.add(other === undefined ? caseId : `${caseId}” and “${other}`, line)
    } else if (caseId !== caseId.trim() && this.#blank.size < MAX_REMEMBERED) this.#blank.set(key, caseId)
  }
}
