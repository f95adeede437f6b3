/** When harm was being done: then answers may fail to come. */
export class Weather {
  readonly #rough: { from: number; until: number }[] = []

  begin(from: number): (until: number) => void {
    const spell = { from, until: Infinity }
    this.#rough.push(spell)
    return (until) => {
      spell.until = until
    }
  }

  /** @param afterMs how long harm is still felt after its end */
  isRough(from: number, until: number, afterMs: number): boolean {
    return this.#rough.some((spell) => spell.from <= until && spell.until + afterMs >= from)
  }
}
