/** The times of faults. During a fault, responses may be missing. */
export class FaultPeriods {
  readonly #periods: { from: number; until: number }[] = []

  begin(from: number): (until: number) => void {
    const period = { from, until: Infinity }
    this.#periods.push(period)
    return (until) => {
      period.until = until
    }
  }

  /** Whether a fault was active in this time. @param afterMs time after a fault in which its effects are accepted */
  overlaps(from: number, until: number, afterMs: number): boolean {
    return this.#periods.some((period) => period.from <= until && period.until + afterMs >= from)
  }
}
