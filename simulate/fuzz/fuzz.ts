import type { Random } from '../random.ts'
import type { Account } from './account.ts'
import type { ApiDocument } from './api-document.ts'
import { Client } from './client.ts'
import type { FuzzContext } from './context.ts'
import { type CountedFinding, Finding, Findings } from './finding.ts'
import { HttpClient } from './http-client.ts'
import { KINDS, KnownIds } from './known-ids.ts'
import { provokeErrors } from './provoke-errors.ts'
import { makeRecords } from './records.ts'
import type { Request } from './request.ts'
import { ResponseStats } from './response-stats.ts'
import { shrink } from './shrink.ts'

export interface FuzzOptions {
  document: ApiDocument
  url: string
  random: Random
  requests: number
  /** Number of concurrent clients. Each has its own account. */
  clients: number
  newAccount: (signedIn: boolean) => Promise<Account>
  /** Sends requests for records of another account too. */
  usesOtherAccount: boolean
  /** Creates an account at its limits. Null: the run does not provoke each documented error first. */
  fullAccount: (() => Promise<Account>) | null
  /** Called before the random requests, with an account of its own. */
  prepare?: ((context: FuzzContext) => Promise<void>) | null
  /** Called after each random request. */
  progress?: () => Promise<void> | void
  /** Continues after a finding. */
  keepGoing: boolean
  /** Returns true to end the run early. */
  shouldStop?: () => boolean
}

export interface FuzzResult {
  stats: ResponseStats
  findings: CountedFinding[]
}

/** Then the client gets a new account, so that lists stay short. */
const REQUESTS_PER_ACCOUNT = 2_500
/** Enough for a few records of each kind. */
const REQUESTS_OF_OTHER_ACCOUNT = 150
/** One of this many accounts has a session, because the number of sign-ins per minute is limited. */
const ACCOUNTS_PER_SESSION = 8

/** Sends requests until their number is reached, or until a finding. */
export async function fuzz(options: FuzzOptions): Promise<FuzzResult> {
  const { document, url, random, clients } = options
  const http = new HttpClient(url, clients + 1)
  const stats = new ResponseStats()
  const findings = new Findings()
  const onFinding = (finding: unknown) => {
    if (!(finding instanceof Finding)) throw finding
    findings.add(finding)
  }
  const common = { document, http, stats, onFinding }
  const contextOf: ContextOf = (account, otherAccount, name) => ({
    ...common,
    account,
    otherAccount,
    random: random.fork(name),
    prefix: name,
  })
  const shouldContinue = () =>
    stats.requests < options.requests &&
    (options.keepGoing || findings.all.length === 0) &&
    options.shouldStop?.() !== true
  try {
    const otherAccount = options.usesOtherAccount ? await createOtherAccount(options, contextOf) : null
    const { fullAccount, newAccount, prepare } = options
    if (fullAccount)
      await provokeErrors(contextOf(await newAccount(true), otherAccount, 'errors'), await fullAccount())
    await prepare?.(contextOf(await newAccount(false), otherAccount, 'before'))
    const names = Array.from({ length: clients }, (_, i) => `client${i}`)
    await Promise.all(
      names.map((name) =>
        runClient(options, shouldContinue, (account, number) =>
          contextOf(account, otherAccount, `${name}.${number}`),
        ),
      ),
    )
    return { stats, findings: await Promise.all(findings.all.map((found) => shrinkFinding(found, options))) }
  } finally {
    http.close()
  }
}

type ContextOf = (account: Account, otherAccount: Account | null, name: string) => FuzzContext

async function runClient(
  options: FuzzOptions,
  shouldContinue: () => boolean,
  contextOf: (account: Account, number: number) => FuzzContext,
): Promise<void> {
  for (let number = 0; shouldContinue(); number++) {
    const client = new Client(
      contextOf(await options.newAccount(number % ACCOUNTS_PER_SESSION === 0), number),
    )
    for (let i = 0; i < REQUESTS_PER_ACCOUNT && shouldContinue(); i++) {
      await client.step()
      await options.progress?.()
    }
  }
}

/** An account whose records must be inaccessible to all other accounts. They do not change any more. */
async function createOtherAccount({ newAccount }: FuzzOptions, contextOf: ContextOf): Promise<Account> {
  const account = await newAccount(true)
  const context = contextOf(account, null, 'other')
  await makeRecords(context)
  const client = new Client(context)
  for (let i = 0; i < REQUESTS_OF_OTHER_ACCOUNT; i++) await client.step()
  return { ...account, known: copyWithoutCursors(account.known) }
}

function copyWithoutCursors(known: KnownIds): KnownIds {
  const kept = new KnownIds()
  for (const kind of KINDS.filter((kind) => kind !== 'cursor'))
    for (const name of known.of(kind)) kept.add(kind, name)
  return kept
}

/** Reduces the request to the smallest that has a finding of the same kind. */
async function shrinkFinding(
  { finding, times }: CountedFinding,
  { document, url, random }: FuzzOptions,
): Promise<CountedFinding> {
  const http = new HttpClient(url, 1)
  const { Authorization = '', Cookie = null } = finding.request.headers
  const account = {
    token: Authorization.replace('Bearer ', ''),
    revokedToken: null,
    cookie: Cookie,
    known: new KnownIds(),
  }
  const fails = async (request: Request) => {
    let again: unknown
    const onFinding = (found: unknown) => {
      again = found
    }
    const context = {
      document,
      http,
      stats: new ResponseStats(),
      account,
      otherAccount: null,
      random,
      prefix: '',
      onFinding,
    }
    await new Client(context).send(request)
    return again instanceof Finding && again.kind === finding.kind
  }
  try {
    if (!(await fails(finding.request))) return { finding, times }
    return { finding: new Finding(finding.message, await shrink(finding.request, fails)), times }
  } finally {
    http.close()
  }
}
