import type { EventRequest, SubmittedEvent } from './submit-event.ts'
import type { Again } from './submit-group.ts'

/** What one group takes. */
const GROUP_SIZE = 500
const GROUP_BYTES = 4 * 1024 * 1024

export interface Waiting {
  readonly request: EventRequest
  /** By performance.now(), in milliseconds. */
  readonly deadline: number
  /** A write of it was lost on its way and may have taken effect. */
  lost: Again | null
  readonly resolve: (submitted: SubmittedEvent) => void
  readonly reject: (error: unknown) => void
}

/** The submissions to one claim, in their order. */
export interface Line {
  readonly claimId: string
  readonly waiting: Waiting[]
  /** The last pause that was made before another try, in milliseconds. */
  pauseMs: number
}

/** What a group takes of a line. */
export interface Taken {
  readonly line: Line
  readonly waiting: readonly Waiting[]
}

/**
 * Submissions that wait, a line for each claim. A line of which something was taken is closed until that is given
 * back, so the order within a claim is kept; lines come up in the order in which they opened.
 *
 * A plain object and an array: a Map or Set that fills and empties all the time is rebuilt all the time, each time
 * leaving a table that points to the next, and so what they held lives until V8 collects its old generation.
 */
export class SubmissionLines {
  readonly #lines: Record<string, Line> = Object.create(null)
  readonly #open: Line[] = []

  /** Of how many claims something can be taken now. */
  get openCount(): number {
    return this.#open.length
  }

  add(claimId: string, waiting: Waiting): void {
    let line = this.#lines[claimId]
    if (!line) {
      line = { claimId, waiting: [], pauseMs: 0 }
      this.#lines[claimId] = line
      this.#open.push(line)
    }
    line.waiting.push(waiting)
  }

  /** Takes as much as goes together, at least one submission, and closes the lines that it is from. */
  take(): Taken[] {
    const group: Taken[] = []
    const room = { size: GROUP_SIZE, bytes: GROUP_BYTES }
    for (const line of this.#open) {
      const count = countThatFit(line.waiting, room)
      if (count === 0 && group.length > 0) break
      group.push({ line, waiting: line.waiting.splice(0, Math.max(count, 1)) })
      if (room.size <= 0 || room.bytes <= 0) break
    }
    this.#open.splice(0, group.length)
    return group
  }

  /** Puts those that must be tried again back to the front. The line stays closed. */
  giveBack(line: Line, again: readonly Waiting[]): void {
    line.waiting.unshift(...again)
  }

  /** Opens the line, or ends it where nobody waits. */
  open(line: Line): void {
    if (line.waiting.length > 0) this.#open.push(line)
    else delete this.#lines[line.claimId]
  }
}

function countThatFit(waiting: readonly Waiting[], room: { size: number; bytes: number }): number {
  let count = 0
  for (const { request } of waiting) {
    const { payloadBytes } = request.submission
    if (room.size < 1 || room.bytes < payloadBytes) break
    room.size--
    room.bytes -= payloadBytes
    count++
  }
  return count
}
