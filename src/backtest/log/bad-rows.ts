import { OperatorError } from '../../kernel/operator-error.ts'
import type { BadRowReason, RowFault } from './log-row.ts'

/** Bad rows that are shown with their line numbers. All are counted. */
const MAX_SHOWN = 20
const MAX_DETAIL_LENGTH = 200

/** The rows that were skipped. */
export class BadRows {
  readonly #isStrict: boolean
  readonly byReason = new Map<BadRowReason, number>()
  readonly first: { line: number; reason: BadRowReason; detail: string }[] = []
  count = 0

  constructor(isStrict: boolean) {
    this.#isStrict = isStrict
  }

  /** @throws OperatorError with `--strict` */
  add(line: number, { reason, detail }: RowFault): void {
    const shown = detail.length > MAX_DETAIL_LENGTH ? `${detail.slice(0, MAX_DETAIL_LENGTH)}…` : detail
    if (this.#isStrict) throw new OperatorError(`line ${line} of the log: ${shown}`)
    this.count++
    this.byReason.set(reason, (this.byReason.get(reason) ?? 0) + 1)
    if (this.first.length < MAX_SHOWN) this.first.push({ line, reason, detail: shown })
  }
}
