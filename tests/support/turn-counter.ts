/** Turns of the event loop from now on, until it is stopped; in each of them something may happen. */
export class TurnCounter {
  turns = 0
  #isOver = false

  constructor(eachTurn = () => {}) {
    const count = () => {
      this.turns++
      eachTurn()
      if (!this.#isOver) setImmediate(count)
    }
    setImmediate(count)
  }

  stop(): void {
    this.#isOver = true
  }
}
