import type { Contract } from '../core/contracts/contract.ts'
import { type Seat, Seats } from '../platform/concurrency/seats.ts'

const MIB = 1024 * 1024
/** A contract that takes no more as an object is not counted: a thousand may be in an answer. */
const SMALL = 2 * 1024

/** Bytes of memory that contracts may take until they are told, of all answers of this process; nobody waits for it. */
const seats = new Seats({
  most: 32 * MIB,
  mostOfOne: 8 * MIB,
  mostWaiting: 0,
  mostWaitingOfOne: 0,
  patienceMs: 0,
  refusal: 'Too many contracts are being told.',
})

/**
 * The contracts that the results of one request hold until they are told. A request of some kilobytes may name a
 * thousand claims under contracts of megabytes as objects: those that have no room are let go, and read again when it
 * is their turn in the answer.
 */
export class KeptContracts {
  readonly #account: string
  readonly #kept = new Map<Contract, { uses: number; seat: Seat }>()
  #isOver = false

  constructor(account: string) {
    this.#account = account
  }

  /** Whether it may be held. @param bytes that it takes as an object */
  keep(contract: Contract, bytes: number): boolean {
    if (bytes <= SMALL) return true
    if (this.#isOver) return false
    const kept = this.#kept.get(contract)
    if (kept) kept.uses++
    else {
      const seat = seats.takeNow(this.#account, bytes)
      if (!seat) return false
      this.#kept.set(contract, { uses: 1, seat })
    }
    return true
  }

  /** A result that held it was told. */
  letGo(contract: Contract): void {
    const kept = this.#kept.get(contract)
    if (!kept || --kept.uses > 0) return
    this.#kept.delete(contract)
    kept.seat.giveBack()
  }

  /** The request is answered, or nobody is there any more. */
  end(): void {
    this.#isOver = true
    for (const { seat } of this.#kept.values()) seat.giveBack()
    this.#kept.clear()
  }
}
