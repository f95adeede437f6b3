import type { Random } from '../random.ts'
import type { Account } from './account.ts'
import { Client, type Seat } from './client.ts'
import type { ApiDocument } from './document.ts'
import { Finding, Findings, type Found } from './finding.ts'
import { KINDS, Known } from './known.ts'
import { reachEveryError } from './reach-every-error.ts'
import { makeRecords } from './records.ts'
import type { Request } from './request.ts'
import { Wire } from './send.ts'
import { shrink } from './shrink.ts'
import { Tally } from './tally.ts'

export interface FuzzOptions {
  document: ApiDocument
  url: string
  random: Random
  requests: number
  /** Callers at once, each with an account of its own. */
  clients: number
  /** A new account; with a session for a caller that asks for what needs one. */
  newAccount: (signedIn: boolean) => Promise<Account>
  /** Whether there may be other accounts, and who asks for what belongs to them. */
  hasOthers: boolean
  /** Makes an account that is full, for asking for each documented error first; null if none is asked for. */
  fullAccount: (() => Promise<Account>) | null
  /** Called before, with an account of its own. */
  prepare?: ((seat: Seat) => Promise<void>) | null
  /** Called between two requests of a caller. */
  progress?: () => Promise<void> | void
  /** Whether it goes on after a finding, and gathers all. */
  keepGoing: boolean
  /** True ends it early. */
  isOver?: () => boolean
}

export interface FuzzResult {
  tally: Tally
  findings: Found[]
}

/** Requests after which a caller gets a new account, so that lists do not grow for ever. */
const REQUESTS_OF_ACCOUNT = 2_500
/** Enough for a few records of each kind. */
const REQUESTS_OF_STRANGER = 150
/** One of this number of accounts has a session: not many can be opened in a minute. */
const ACCOUNTS_A_SESSION = 8

/** Sends requests to the server until there were enough, or one showed what should not be. */
export async function fuzz(options: FuzzOptions): Promise<FuzzResult> {
  const { document, url, random, clients } = options
  const wire = new Wire(url, clients + 1)
  const tally = new Tally()
  const findings = new Findings()
  const note = (finding: unknown) => {
    if (!(finding instanceof Finding)) throw finding
    findings.add(finding)
  }
  const common = { document, wire, tally, note }
  const seatOf: SeatOf = (account, stranger, name) => ({
    ...common,
    account,
    stranger,
    random: random.fork(name),
    prefix: name,
  })
  const mayGoOn = () =>
    tally.requests < options.requests &&
    (options.keepGoing || findings.all.length === 0) &&
    options.isOver?.() !== true
  try {
    const stranger = options.hasOthers ? await strangerWithRecords(options, seatOf) : null
    const { fullAccount, newAccount, prepare } = options
    if (fullAccount)
      await reachEveryError(seatOf(await newAccount(true), stranger, 'errors'), await fullAccount())
    await prepare?.(seatOf(await newAccount(false), stranger, 'before'))
    const names = Array.from({ length: clients }, (_, i) => `client${i}`)
    await Promise.all(
      names.map((name) =>
        keepAsking(options, mayGoOn, (account, life) => seatOf(account, stranger, `${name}.${life}`)),
      ),
    )
    return { tally, findings: await Promise.all(findings.all.map((found) => smallest(found, options))) }
  } finally {
    wire.close()
  }
}

type SeatOf = (account: Account, stranger: Account | null, name: string) => Seat

async function keepAsking(
  options: FuzzOptions,
  mayGoOn: () => boolean,
  seatOf: (account: Account, life: number) => Seat,
): Promise<void> {
  for (let life = 0; mayGoOn(); life++) {
    const client = new Client(seatOf(await options.newAccount(life % ACCOUNTS_A_SESSION === 0), life))
    for (let i = 0; i < REQUESTS_OF_ACCOUNT && mayGoOn(); i++) {
      await client.step()
      await options.progress?.()
    }
  }
}

/** Records of an account that nobody else must reach; they are never touched again. */
async function strangerWithRecords({ newAccount }: FuzzOptions, seatOf: SeatOf): Promise<Account> {
  const account = await newAccount(true)
  const seat = seatOf(account, null, 'stranger')
  await makeRecords(seat)
  const client = new Client(seat)
  for (let i = 0; i < REQUESTS_OF_STRANGER; i++) await client.step()
  return { ...account, known: withoutCursors(account.known) }
}

function withoutCursors(known: Known): Known {
  const kept = new Known()
  for (const kind of KINDS.filter((kind) => kind !== 'cursor'))
    for (const name of known.of(kind)) kept.add(kind, name)
  return kept
}

/** With the smallest request that shows the same, on a connection of its own. */
async function smallest({ finding, times }: Found, { document, url, random }: FuzzOptions): Promise<Found> {
  const wire = new Wire(url, 1)
  const { Authorization = '', Cookie = null } = finding.request.headers
  const account = {
    token: Authorization.replace('Bearer ', ''),
    revokedToken: null,
    cookie: Cookie,
    known: new Known(),
  }
  const fails = async (request: Request) => {
    let again: unknown
    const note = (found: unknown) => {
      again = found
    }
    const seat = { document, wire, tally: new Tally(), account, stranger: null, random, prefix: '', note }
    await new Client(seat).ask(request)
    return again instanceof Finding && again.kind === finding.kind
  }
  try {
    if (!(await fails(finding.request))) return { finding, times }
    return { finding: new Finding(finding.message, await shrink(finding.request, fails)), times }
  } finally {
    wire.close()
  }
}
