/** The times of faults. During a fault, responses may be missing. */
export class Weather {
  readonly #rough: { from: number; until: number }[] = []

  begin(from: number): (until: number) => void {
    const spell = { from, until: Infinity }
    this.#rough.push(spell)
    return (until) => {
      spell.until = until
    }
  }

  /** @param afterMs time after a fault in which its effects are accepted */
  isRough(from: number, until: number, afterMs: number): boolean {
    return this.#rough.some((spell) => spell.from <= until && spell.until + afterMs >= from)
  }
}
