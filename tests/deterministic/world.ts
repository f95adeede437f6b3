import assert from 'node:assert/strict'
import { LockedClocks } from '../../src/test-clocks/locked-clocks.ts'
import { candidateId } from '../support/source/claims.ts'
import { Database, MIN_CONNECTIONS } from '../support/source/database.ts'
import {
  type CheckSizes,
  GroupCommit,
  runScheduledCheck,
  type SubmittedEvent,
} from '../support/source/decisions.ts'
import { ServiceError } from '../support/source/errors.ts'
import { AdaptiveThrottle, type App } from '../support/source/service.ts'
import { Backend } from './backend.ts'
import { Course } from './course.ts'
import { Faults } from './faults.ts'
import type { Deed } from './history.ts'
import { ALIAS, CLAIM_IDS, furnish } from './records.ts'
import { Store } from './store.ts'
import { installStore, type Network, type StoreClient } from './store-client.ts'
import { START_MS } from './virtual-time.ts'

const MINUTE_MS = 60_000
/** More than any history takes: it does not end. */
const MOST_STEPS = 10_000

/** A submission or a check, and what was answered. */
export interface Call<D, T> {
  deed: D
  server: App
  calledAtMs: number
  /** By the number of steps. */
  calledAt: number
  answeredAt: number | null
  answeredAtMs: number
  answer: T | Error | null
}
export type Submitted = Call<Deed & { do: 'submit' }, SubmittedEvent>

export class World {
  readonly course: Course
  readonly faults = new Faults()
  readonly store: Store
  readonly apps: App[] = []
  readonly submissions: Submitted[] = []
  readonly checks: Call<Deed & { do: 'check' }, number>[] = []
  sizes: CheckSizes | undefined
  /** Unhandled rejections, exceptions in the event loop, and violated checks. */
  readonly problems: unknown[] = []
  readonly abandoned: string[] = []
  readonly #clients = new Set<StoreClient>()
  readonly #holders = new Map<string, Backend>()
  #skewMs = 0
  #wasCut = false

  constructor(choices: readonly number[]) {
    this.course = new Course(choices)
    this.store = new Store(() => new Date(START_MS + Math.floor(this.course.time.nowMs) + this.#skewMs))
  }

  /** Lets the work happen in a world of its own. */
  static async run<T>(
    choices: readonly number[],
    servers: number,
    work: (world: World) => Promise<T>,
  ): Promise<T> {
    const world = new World(choices)
    const before = process.listeners('unhandledRejection')
    process.removeAllListeners('unhandledRejection')
    process.on('unhandledRejection', (error) => world.problems.push(error))
    world.course.time.install()
    const network: Network = { ...world, clients: world.#clients }
    const uninstall = installStore(network)
    try {
      furnish(world.store)
      for (let i = 0; i < servers; i++) {
        world.apps.push(newServer())
      }
      return await work(world)
    } finally {
      uninstall()
      world.course.time.uninstall()
      process.removeAllListeners('unhandledRejection')
      for (const listener of before) process.on('unhandledRejection', listener)
    }
  }

  async perform(deeds: readonly Deed[]): Promise<void> {
    for (const deed of deeds) {
      this.course.tell(`* ${JSON.stringify(deed)}`)
      await this.#perform(deed)
    }
  }

  /** A submission goes on by itself while another is on its way: both lanes are free, as at the beginning. */
  async assertServesAgain(): Promise<void> {
    for (const at of this.apps.keys()) {
      const submit = (to: string) =>
        this.#submit({ do: 'submit', at, as: 'A', to, id: `${at}`, type: 'noise', value: 0 })
      this.faults.arm('read_claims_to_decide', { kind: 'delay', ms: 3_000 })
      const slow = submit('last of all')
      await this.goOnFor(200)
      const fast = submit('beside it')
      await this.goOnFor(200)
      assert.deepEqual([slow.answer, isServed(fast)], [null, true], 'one lane is not free')
      await this.goOnFor(4_000)
      assert.ok(isServed(slow), `not served again: ${slow.answer}`)
    }
  }

  /** Faults are over and nobody holds anything: goes on until all is answered and at rest. */
  async rest(): Promise<void> {
    this.course.tell('* faults are over')
    this.faults.disarm()
    this.course.straighten()
    for (const clock of this.#holders.keys()) this.#letGo(clock)
    await this.goOnUntil(() => this.#isAnswered && this.#isAtRest)
  }

  async check(): Promise<number | Error> {
    const call = this.#check({ do: 'check', at: 0 })
    await this.goOnUntil(() => call.answeredAt !== null)
    return call.answer as number | Error
  }

  moveClock(seconds: number): void {
    this.#skewMs += seconds * 1000
  }

  /** Closes the servers; what is left then should not be. */
  async close(): Promise<void> {
    await this.goOnFor(1_000)
    let closed = 0
    for (const { db } of this.apps) void db.close().then(() => closed++)
    await this.goOnUntil(() => closed === this.apps.length)
    await this.goOnUntil(() => this.course.waiting === 0)
  }

  async goOnFor(ms: number): Promise<void> {
    const until = this.course.time.nowMs + ms
    await this.goOnUntil(() => this.course.time.nowMs >= until)
  }

  async goOnUntil(isSo: () => boolean): Promise<void> {
    await this.course.time.settle()
    for (let i = 0; !isSo(); i++) {
      if (i === MOST_STEPS) throw new Error(`it is not so after ${MOST_STEPS} steps: ${isSo}`)
      await this.#step()
    }
  }

  /** Where a write is lost, nobody knows whose it was: each of the same id may be the one that was recorded. */
  get wasDisturbed(): boolean {
    return this.faults.struck > 0 || this.#wasCut
  }

  get #isAnswered(): boolean {
    return [...this.submissions, ...this.checks].every(({ answeredAt }) => answeredAt !== null)
  }

  get #isAtRest(): boolean {
    return (
      this.course.waiting === 0 &&
      this.apps.every((app) => app.submissions.waiting === 0) &&
      ![...this.#clients].some(({ isBusy }) => isBusy)
    )
  }

  async #step(): Promise<void> {
    await this.course.goOn().catch((error) => this.problems.push(error))
  }

  async #perform(deed: Deed): Promise<void> {
    switch (deed.do) {
      case 'submit':
        this.#submit(deed)
        return
      case 'check':
        // A server's next check waits for the one before (platform/jobs/scheduler.ts).
        if (!this.checks.some((call) => call.answeredAt === null && call.server === this.#serverOf(deed))) {
          this.#check(deed)
        }
        return
      case 'go on':
        await this.course.time.settle()
        for (let i = 0; i < deed.steps; i++) await this.#step()
        return
      case 'wait':
        return this.goOnUntil(() => this.#isAnswered)
      case 'move the clock':
        return this.moveClock(deed.seconds)
      case 'fault':
        return this.faults.arm(deed.site, deed.fault)
      case 'hold':
        return this.#hold(deed.clock)
      case 'let go':
        return this.#letGo(deed.clock)
      case 'cut':
        this.#wasCut = true
        return [...this.#clients].at(deed.connection)?.break()
    }
  }

  #submit(deed: Deed & { do: 'submit' }): Submitted {
    const payload = { value: deed.value }
    const payloadJson = JSON.stringify(payload)
    const { id, type } = deed
    const app = this.#serverOf(deed)
    const answer = app.submissions.submit({
      userId: deed.as,
      address:
        deed.to === 'candidate'
          ? { kind: 'candidate', alias: ALIAS }
          : { kind: 'claim', id: claimIdOf(deed.to) },
      submission: { id, type, payload, payloadBytes: payloadJson.length },
      payloadJson,
    })
    const call = this.#call(deed, answer)
    this.submissions.push(call)
    return call
  }

  #check(deed: Deed & { do: 'check' }) {
    const app = this.#serverOf(deed)
    const checkTime = new Date(Math.floor(this.store.now().getTime() / MINUTE_MS) * MINUTE_MS)
    const call = this.#call(deed, runScheduledCheck(app, checkTime, undefined, this.sizes))
    this.checks.push(call)
    return call
  }

  #serverOf({ at }: { at: number }): App {
    return this.apps[at % this.apps.length] as App
  }

  #call<D extends Deed & { at: number }, T>(deed: D, answer: Promise<T>): Call<D, T> {
    const { course } = this
    const call: Call<D, T> = {
      deed,
      server: this.#serverOf(deed),
      calledAtMs: course.time.nowMs,
      calledAt: course.taken,
      answeredAt: null,
      answeredAtMs: Infinity,
      answer: null,
    }
    const answered = (answer: T | Error) => {
      if (call.answeredAt !== null) this.problems.push(new Error('answered twice'))
      Object.assign(call, { answer, answeredAt: course.taken, answeredAtMs: course.time.nowMs })
      course.tell(`  answered: ${JSON.stringify(deed)} ${answer instanceof Error ? answer.message : 'done'}`)
    }
    void answer.then(answered, answered)
    return call
  }

  #hold(clock: string): void {
    const holder = new Backend(this.store, this.course, `holder of ${clock}`)
    if (!this.#holders.has(clock) && this.store.tryLock(holder, `clock ${clock}`))
      this.#holders.set(clock, holder)
  }

  #letGo(clock: string): void {
    const held = this.store.clocks.get(clock)
    const holder = this.#holders.get(clock)
    if (!held || !holder) return
    held.frozenTime = new Date(held.frozenTime.getTime() + MINUTE_MS)
    holder.die()
    this.#holders.delete(clock)
  }
}

const isServed = ({ answer }: Submitted) =>
  answer !== null && !(answer instanceof ServiceError && answer.code === 'UNAVAILABLE')

/** Without what submissions and checks do not use, which takes long to make. */
function newServer(): App {
  const db = new Database({ connectionString: 'postgres://nowhere', poolSize: MIN_CONNECTIONS })
  const lockedClocks = new LockedClocks(db)
  const throttle = new AdaptiveThrottle()
  return {
    db,
    lockedClocks,
    throttle,
    submissions: new GroupCommit(db, lockedClocks, throttle),
  } satisfies Partial<App> as App
}

export const claimIdOf = (to: string): string =>
  to === 'candidate' ? candidateId(ALIAS) : (CLAIM_IDS[to] as string)
