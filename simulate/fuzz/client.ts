import { setTimeout as pause } from 'node:timers/promises'
import type { Random } from '../random.ts'
import type { Account } from './account.ts'
import type { ApiDocument, Operation } from './document.ts'
import { Finding } from './finding.ts'
import { judge, type Verdict } from './judge.ts'
import { kindOfPath, learn } from './known.ts'
import { makeRequest } from './make-request.ts'
import type { Answer, Request } from './request.ts'
import { NoAnswer, type Wire } from './send.ts'
import type { Tally } from './tally.ts'

/** How often an operation is asked for, where it is not as often as any other. */
const OFTEN: Record<string, number> = {
  createCustomer: 3,
  createClaim: 4,
  createCandidate: 4,
  submitEvent: 8,
  submitClaimEvent: 6,
  submitCandidateEvent: 6,
  submitEvents: 6,
  createTestClock: 2,
  advanceTestClock: 2,
  createOwnToken: 0.3,
  createInvitation: 0.3,
  exportClaims: 0.3,
  exportCandidates: 0.3,
  getHealth: 0.1,
  getReadiness: 0.1,
}
/** A body as large as this may be refused before it is read, and its connection closed. */
const LARGE_BODY = 64 * 1024
const MOST_TRIES = 20
const LATER_MS = 1_000

export interface Seat {
  document: ApiDocument
  wire: Wire
  tally: Tally
  random: Random
  account: Account
  stranger: Account | null
  prefix: string
  /** Called with each finding. */
  note: (finding: unknown) => void
}

/** One caller: what it asks hangs on its draws and on what it was answered, not on others. */
export class Client {
  readonly #seat: Seat
  readonly #choices: Operation[]

  constructor(seat: Seat) {
    this.#seat = seat
    this.#choices = seat.document.operations.flatMap((operation) =>
      Array.from({ length: Math.ceil((OFTEN[operation.id] ?? 1) * 10) }, () => operation),
    )
  }

  /** Asks something, whatever it is. */
  async step(): Promise<void> {
    const { random, wire } = this.#seat
    const operation = random.pick(this.#choices)
    await this.ask(makeRequest({ ...this.#seat, url: wire.url }, operation))
  }

  /** Again and again while the server asks to come later. */
  async askPatiently(request: Request): Promise<void> {
    for (let tries = 1; tries <= MOST_TRIES; tries++) {
      const verdict = await this.ask(request)
      if (verdict?.code !== 'UNAVAILABLE') return
      await pause(LATER_MS)
    }
  }

  /** Null where there is no answer to judge. */
  async ask(request: Request): Promise<Verdict | null> {
    const { tally, note } = this.#seat
    const answer = await this.#answerTo(request)
    if (answer === null) return null
    const answered = `${answer.status} ${answer.text.slice(0, 1_000)}`
    try {
      const verdict = this.#judge(request, answer)
      tally.count(verdict, answer.status)
      if (verdict.flaw !== null) note(new Finding(`${verdict.flaw}\n${answered}`, request))
      this.#learn(request, answer, verdict)
      return verdict
    } catch (error) {
      // An answer that makes the judge fail differs from the document.
      note(new Finding(`the judge failed: ${error}\n${answered}`, request))
      return null
    }
  }

  #learn(request: Request, answer: Answer, { operation, body }: Verdict): void {
    if (answer.status >= 300 || !operation) return
    const { known } = this.#seat.account
    if (operation.method === 'DELETE') known.forget(kindOfPath(operation.path), lastOf(request.path))
    else learn(known, operation.path, body)
  }

  /** Null where a large body was not wanted. */
  async #answerTo(request: Request): Promise<Answer | null> {
    try {
      return await this.#seat.wire.send(request)
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error
      if ((request.body?.length ?? 0) > LARGE_BODY) return null
      this.#seat.note(new Finding(`no answer: ${error.message}`, request))
      return null
    }
  }

  #judge(request: Request, answer: Answer): Verdict {
    const { document, account, stranger } = this.#seat
    return judge(document, request, answer, { account, stranger })
  }
}

const lastOf = (path: string): string => path.split('?', 1)[0]?.split('/').at(-1) ?? ''
