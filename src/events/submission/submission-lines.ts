import { Distribution } from '../../platform/database/citus/distribution.ts'
import type { PendingSubmission } from './pending-submission.ts'

/** What may wait, of all accounts together. */
const MOST_WAITING = 10_000
const MOST_WAITING_BYTES = 32 * 1024 * 1024

/**
 * Submissions that wait, a line for each claim of each account. A line of which something was taken is closed until
 * that is given back, so the order within a claim is kept. Each group takes of all accounts in equal parts, and of an
 * account the lines in the order in which they opened, all of one machine.
 *
 * Plain objects and arrays: a Map or Set that fills and empties all the time is rebuilt all the time, each time
 * leaving a table that points to the next, and so what they held lives until V8 collects its old generation.
 */
export class SubmissionLines {
  readonly #accounts: Record<string, Account> = Object.create(null)
  readonly #at = new Map<number, OfMachine>()
  readonly #distribution: Distribution
  #waiting = 0
  #bytes = 0
  #parked = 0

  constructor(distribution = new Distribution()) {
    this.#distribution = distribution
  }

  get isDistributed(): boolean {
    return this.#distribution.isOn
  }

  /** Those that have had lines. */
  get machines(): number[] {
    return [...this.#at.keys()]
  }

  /** Of how many lines something can be taken now. */
  openCount(kind: Kind, machine = 0): number {
    return this.#at.get(machine)?.open[kind] ?? 0
  }

  /** Submissions that are not answered yet. */
  get waiting(): number {
    return this.#waiting
  }

  /** Those of them that wait for something else than their turn. */
  get parked(): number {
    return this.#parked
  }

  /**
   * Of one account as many may wait as there are places left: half of all for an account alone, and something for
   * whoever comes next, however many others fill theirs. Of these a machine that is away has half, and leaves room for
   * the others.
   */
  hasRoom(userId: string, bytes: number, claimId: string): boolean {
    const { all = NOTHING, at = {} } = this.#accounts[userId] ?? {}
    const left = { waiting: MOST_WAITING - this.#waiting, bytes: MOST_WAITING_BYTES - this.#bytes }
    if (!isBelow(all, left, bytes)) return false
    const machine = this.#distribution.nodeOf(claimId)
    const half = { waiting: left.waiting / 2, bytes: left.bytes / 2 }
    return !this.#distribution.isDown(machine) || isBelow(at[machine] ?? NOTHING, half, bytes)
  }

  add(claimId: string, pending: PendingSubmission): void {
    const { userId } = pending.request
    const machine = this.#distribution.nodeOf(claimId)
    pending.machine = machine
    const account = this.#accounts[userId] ?? newAccount(userId)
    this.#accounts[userId] = account
    this.#count(account, pending, 1)
    const line = account.lines[claimId]
    if (line) {
      line.waiting.push(pending)
      if (line.isParked) this.#parked++
      return
    }
    // Most lines have one: an array that begins empty would make room for seventeen.
    const fresh = {
      claimId,
      machine,
      account,
      waiting: [pending],
      isParked: false,
      goesAlone: false,
      heavyBytes: 0,
      pauseMs: 0,
    }
    account.lines[claimId] = fresh
    this.#show(fresh)
  }

  /** Takes as much as goes together, at least one submission, and closes the lines that it is from. */
  take(kind: Kind, machine = 0): Taken[] {
    const group: Taken[] = []
    const { turn: turns, open } = this.#of(machine)
    const turn = turns[kind]
    const room = newRoom()
    let served = 0
    for (const account of turn) {
      if (!takePart(openOf(account, kind, machine), room, turn.length - served, group)) break
      served++
    }
    open[kind] -= group.length
    for (const account of turn.splice(0, served))
      if (openOf(account, kind, machine).length > 0) turn.push(account)
    return group
  }

  /** Puts those that must be tried again back to the front. The line stays closed. */
  giveBack(line: Line, again: readonly PendingSubmission[]): void {
    line.waiting.unshift(...again)
  }

  /** The line stays closed until it is opened, waiting for something else than its turn. */
  park(line: Line): void {
    line.isParked = true
    this.#parked += line.waiting.length
  }

  /** Opens the line, or ends it if nobody waits. */
  open(line: Line): void {
    if (line.isParked) this.#parked -= line.waiting.length
    line.isParked = false
    if (line.waiting.length > 0) this.#show(line)
    else if (line.account.lines[line.claimId] === line) delete line.account.lines[line.claimId]
  }

  /** To be called of each submission that is on its way no more and will not be given back; the first time counts. */
  leave(pending: PendingSubmission): void {
    if (pending.hasLeft) return
    const { userId } = pending.request
    const account = this.#accounts[userId] as Account
    this.#count(account, pending, -1)
    pending.hasLeft = true
    if (account.all.waiting === 0) delete this.#accounts[userId]
  }

  /** Takes out those in lines for which it holds. They have left. */
  removeWhere(holds: (pending: PendingSubmission, line: Line) => boolean): PendingSubmission[] {
    const removed: PendingSubmission[] = []
    for (const account of Object.values(this.#accounts)) {
      for (const line of Object.values(account.lines)) {
        const { true: gone = [], false: left = [] } = Object.groupBy(
          line.waiting,
          (one) => `${holds(one, line)}`,
        )
        if (gone.length === 0) continue
        line.waiting.splice(0, Infinity, ...left)
        if (line.isParked) this.#parked -= gone.length
        if (line.waiting.length === 0) this.#hide(line)
        for (const one of gone) {
          removed.push(one)
          this.leave(one)
        }
      }
    }
    return removed
  }

  #count({ all, at }: Account, { request, machine }: PendingSubmission, one: 1 | -1): void {
    const bytes = one * request.submission.payloadBytes
    at[machine] ??= { waiting: 0, bytes: 0 }
    for (const load of [all, at[machine]]) {
      load.waiting += one
      load.bytes += bytes
    }
    this.#waiting += one
    this.#bytes += bytes
  }

  #show(line: Line): void {
    const { account, machine } = line
    const kind = kindOf(line)
    const { turn, open } = this.#of(machine)
    if (openOf(account, kind, machine).push(line) === 1) turn[kind].push(account)
    open[kind]++
  }

  /** An open line in which nobody waits any more ends. */
  #hide(line: Line): void {
    const { account, machine } = line
    const kind = kindOf(line)
    const lines = openOf(account, kind, machine)
    const at = lines.indexOf(line)
    if (at < 0) return
    lines.splice(at, 1)
    const { turn, open } = this.#of(machine)
    open[kind]--
    delete account.lines[line.claimId]
    if (lines.length === 0) turn[kind].splice(turn[kind].indexOf(account), 1)
  }

  #of(machine: number): OfMachine {
    const known = this.#at.get(machine)
    if (known) return known
    const fresh = { turn: { light: [], heavy: [] }, open: { light: 0, heavy: 0 } }
    this.#at.set(machine, fresh)
    return fresh
  }
}

/** What is open of the claims that one machine has. */
interface OfMachine {
  /** Accounts with open lines: whoever was served longest ago comes first. */
  turn: Record<Kind, Account[]>
  /** How many lines. */
  open: Record<Kind, number>
}

function openOf({ open }: Account, kind: Kind, machine: number): Line[] {
  open[machine] ??= { light: [], heavy: [] }
  return open[machine][kind]
}

const kindOf = ({ heavyBytes }: Line): Kind => (heavyBytes > 0 ? 'heavy' : 'light')

const newAccount = (userId: string): Account => ({
  userId,
  lines: Object.create(null),
  open: {},
  all: { waiting: 0, bytes: 0 },
  at: {},
})

const NOTHING: Load = { waiting: 0, bytes: 0 }

const isBelow = (own: Load, most: Load, bytes: number) =>
  own.waiting < most.waiting && own.bytes + bytes <= most.bytes

/** The submissions of one account to one claim, in their order. */
export interface Line {
  readonly claimId: string
  /** That had the claim when the first of them arrived: see `Distribution`. */
  readonly machine: number
  readonly account: Account
  readonly waiting: PendingSubmission[]
  /** It waits for something else than its turn: a pause before another try, a test clock. */
  isParked: boolean
  /** What was sent of it with others was refused: one goes by itself, so that it shows which is at fault. */
  goesAlone: boolean
  /** What there is to read of its claim, if a group of many has found it heavy; else 0. */
  heavyBytes: number
  /** The last pause that was made before another try, in milliseconds. */
  pauseMs: number
}

export interface Account {
  readonly userId: string
  /** By claim. */
  readonly lines: Record<string, Line>
  /** Those of which something can be taken now, by their machine and kind. */
  readonly open: Record<number, Record<Kind, Line[]>>
  readonly all: Load
  /** By the machine that has the claims. */
  readonly at: Record<number, Load>
}

/** Submissions that are not answered yet, those on their way included. */
interface Load {
  waiting: number
  bytes: number
}

/** What a group takes of a line. */
export interface Taken {
  readonly line: Line
  readonly submissions: readonly PendingSubmission[]
}

/** Heavy lines go by themselves: reading their claims takes long, and the others do not wait for it. */
export type Kind = 'light' | 'heavy'

/** What one group takes. */
const GROUP_SIZE = 500
const GROUP_BYTES = 1024 * 1024

/** What is left of a group. */
interface Room {
  size: number
  bytes: number
  /** By what there is to read of the claims. */
  heavyBytes: number
}

const newRoom = (): Room => ({ size: GROUP_SIZE, bytes: GROUP_BYTES, heavyBytes: PARSED_BYTES })

/** Takes an account's part of the room, one of so many, of its open lines; false if nothing fits any more. */
function takePart(open: Line[], room: Room, parts: number, group: Taken[]): boolean {
  const part = {
    size: Math.ceil(room.size / parts),
    bytes: Math.ceil(room.bytes / parts),
    heavyBytes: Math.ceil(room.heavyBytes / parts),
  }
  let lines = 0
  for (const line of open) {
    if (line.goesAlone && group.length > 0) break
    const count = line.goesAlone ? 1 : countThatFit(line, line.waiting, part)
    // At least one of each account, however small its part is.
    const mayBeOne =
      lines === 0 && (group.length === 0 || countThatFit(line, line.waiting.slice(0, 1), { ...room }) > 0)
    if (count === 0 && !mayBeOne) break
    const submissions = line.waiting.splice(0, Math.max(count, 1))
    for (const { request } of submissions) room.bytes -= request.submission.payloadBytes
    room.size -= submissions.length
    room.heavyBytes -= line.heavyBytes
    group.push({ line, submissions })
    lines++
    if (line.goesAlone) room.size = 0
    if (line.goesAlone || part.size <= 0 || part.bytes <= 0) break
  }
  open.splice(0, lines)
  return lines > 0
}

function countThatFit({ heavyBytes }: Line, waiting: readonly PendingSubmission[], room: Room): number {
  if (room.heavyBytes < heavyBytes) return 0
  room.heavyBytes -= heavyBytes
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

/** Bytes of contracts and of a quarter of logs that a group reads. */
export const READ_BYTES = 512 * 1024

/**
 * Of these, what it reads of contracts that are long and unknown: parsed and made ready, they take a tenth of a second of a
 * slow machine. A group of heavy claims takes no more of anything, so that all of it can be decided: what is put off comes
 * in its turn again, and who has the longest would wait for ever.
 */
export const PARSED_BYTES = 128 * 1024
