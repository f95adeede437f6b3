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
import { Faults } from './faults.ts'
import type { Operation } from './history.ts'
import { ALIAS, CLAIM_IDS, insertRecords } from './records.ts'
import { StepScheduler } from './step-scheduler.ts'
import { Store } from './store.ts'
import { installStore, type Network, type StoreClient } from './store-client.ts'
import { START_MS } from './virtual-time.ts'

const MINUTE_MS = 60_000
/** No history takes more steps: the run does not end. */
const MAX_STEPS = 10_000

/** A submission or a check, and its result. */
export interface Call<D, T> {
  operation: D
  server: App
  calledAtMs: number
  /** The number of steps before the call. */
  calledAt: number
  answeredAt: number | null
  answeredAtMs: number
  answer: T | Error | null
}
export type Submitted = Call<Operation & { do: 'submit' }, SubmittedEvent>

export class World {
  readonly scheduler: StepScheduler
  readonly faults = new Faults()
  readonly store: Store
  readonly apps: App[] = []
  readonly submissions: Submitted[] = []
  readonly checks: Call<Operation & { do: 'check' }, number>[] = []
  sizes: CheckSizes | undefined
  /** Unhandled rejections, exceptions in the event loop, and violated checks. */
  readonly problems: unknown[] = []
  readonly abandoned: string[] = []
  readonly #clients = new Set<StoreClient>()
  readonly #holders = new Map<string, Backend>()
  #skewMs = 0
  #wasCut = false

  constructor(choices: readonly number[]) {
    this.scheduler = new StepScheduler(choices)
    this.store = new Store(() => new Date(START_MS + Math.floor(this.scheduler.time.nowMs) + this.#skewMs))
  }

  /** Runs `work` in a new world. */
  static async run<T>(
    choices: readonly number[],
    servers: number,
    work: (world: World) => Promise<T>,
  ): Promise<T> {
    const world = new World(choices)
    const before = process.listeners('unhandledRejection')
    process.removeAllListeners('unhandledRejection')
    process.on('unhandledRejection', (error) => world.problems.push(error))
    world.scheduler.time.install()
    const network: Network = { ...world, clients: world.#clients }
    const uninstall = installStore(network)
    try {
      insertRecords(world.store)
      for (let i = 0; i < servers; i++) {
        world.apps.push(newServer())
      }
      return await work(world)
    } finally {
      uninstall()
      world.scheduler.time.uninstall()
      process.removeAllListeners('unhandledRejection')
      for (const listener of before) process.on('unhandledRejection', listener)
    }
  }

  async perform(operations: readonly Operation[]): Promise<void> {
    for (const operation of operations) {
      this.scheduler.log(`* ${JSON.stringify(operation)}`)
      await this.#perform(operation)
    }
  }

  /** Two groups can be in flight: a submission is served while another one is delayed. */
  async assertServesAgain(): Promise<void> {
    for (const at of this.apps.keys()) {
      const submit = (to: string) =>
        this.#submit({ do: 'submit', at, as: 'A', to, id: `${at}`, type: 'noise', value: 0 })
      this.faults.arm('read_claims_to_decide', { kind: 'delay', ms: 3_000 })
      const slow = submit('last of all')
      await this.runFor(200)
      const fast = submit('beside it')
      await this.runFor(200)
      assert.deepEqual([slow.answer, isServed(fast)], [null, true], 'no second group can be in flight')
      await this.runFor(4_000)
      assert.ok(isServed(slow), `not served again: ${slow.answer}`)
    }
  }

  /** Ends faults, releases locks, and runs until each call has a result and nothing is pending. */
  async drain(): Promise<void> {
    this.scheduler.log('* faults are over')
    this.faults.disarm()
    this.scheduler.runInOrder()
    for (const clock of this.#holders.keys()) this.#release(clock)
    await this.runUntil(() => this.#isAnswered && this.#isIdle)
  }

  async check(): Promise<number | Error> {
    const call = this.#check({ do: 'check', at: 0 })
    await this.runUntil(() => call.answeredAt !== null)
    return call.answer as number | Error
  }

  moveClock(seconds: number): void {
    this.#skewMs += seconds * 1000
  }

  /** Closes the servers and runs until nothing is pending. */
  async close(): Promise<void> {
    await this.runFor(1_000)
    let closed = 0
    for (const { db } of this.apps) void db.close().then(() => closed++)
    await this.runUntil(() => closed === this.apps.length)
    await this.runUntil(() => this.scheduler.pending === 0)
  }

  async runFor(ms: number): Promise<void> {
    const until = this.scheduler.time.nowMs + ms
    await this.runUntil(() => this.scheduler.time.nowMs >= until)
  }

  async runUntil(isDone: () => boolean): Promise<void> {
    await this.scheduler.time.settle()
    for (let i = 0; !isDone(); i++) {
      if (i === MAX_STEPS) throw new Error(`not done after ${MAX_STEPS} steps: ${isDone}`)
      await this.#step()
    }
  }

  /** True if the outcome of a write may be unknown. Any of the submissions with one id may then be the recorded one. */
  get wasDisturbed(): boolean {
    return this.faults.injected > 0 || this.#wasCut
  }

  get #isAnswered(): boolean {
    return [...this.submissions, ...this.checks].every(({ answeredAt }) => answeredAt !== null)
  }

  get #isIdle(): boolean {
    return (
      this.scheduler.pending === 0 &&
      this.apps.every((app) => app.submissions.waiting === 0) &&
      ![...this.#clients].some(({ isBusy }) => isBusy)
    )
  }

  async #step(): Promise<void> {
    await this.scheduler.runNext().catch((error) => this.problems.push(error))
  }

  async #perform(operation: Operation): Promise<void> {
    switch (operation.do) {
      case 'submit':
        this.#submit(operation)
        return
      case 'check':
        // A server runs one check at a time (platform/jobs/scheduler.ts).
        if (
          !this.checks.some((call) => call.answeredAt === null && call.server === this.#serverOf(operation))
        ) {
          this.#check(operation)
        }
        return
      case 'run steps':
        await this.scheduler.time.settle()
        for (let i = 0; i < operation.steps; i++) await this.#step()
        return
      case 'wait':
        return this.runUntil(() => this.#isAnswered)
      case 'move the clock':
        return this.moveClock(operation.seconds)
      case 'fault':
        return this.faults.arm(operation.statement, operation.fault)
      case 'hold':
        return this.#hold(operation.clock)
      case 'release':
        return this.#release(operation.clock)
      case 'cut':
        this.#wasCut = true
        return [...this.#clients].at(operation.connection)?.break()
    }
  }

  #submit(operation: Operation & { do: 'submit' }): Submitted {
    const payload = { value: operation.value }
    const payloadJson = JSON.stringify(payload)
    const { id, type } = operation
    const app = this.#serverOf(operation)
    const answer = app.submissions.submit({
      userId: operation.as,
      address:
        operation.to === 'candidate'
          ? { kind: 'candidate', alias: ALIAS }
          : { kind: 'claim', id: claimIdOf(operation.to) },
      submission: { id, type, payload, payloadBytes: payloadJson.length },
      payloadJson,
    })
    const call = this.#call(operation, answer)
    this.submissions.push(call)
    return call
  }

  #check(operation: Operation & { do: 'check' }) {
    const app = this.#serverOf(operation)
    const checkTime = new Date(Math.floor(this.store.now().getTime() / MINUTE_MS) * MINUTE_MS)
    const call = this.#call(operation, runScheduledCheck(app, checkTime, undefined, this.sizes))
    this.checks.push(call)
    return call
  }

  #serverOf({ at }: { at: number }): App {
    return this.apps[at % this.apps.length] as App
  }

  #call<D extends Operation & { at: number }, T>(operation: D, answer: Promise<T>): Call<D, T> {
    const { scheduler } = this
    const call: Call<D, T> = {
      operation,
      server: this.#serverOf(operation),
      calledAtMs: scheduler.time.nowMs,
      calledAt: scheduler.stepCount,
      answeredAt: null,
      answeredAtMs: Infinity,
      answer: null,
    }
    const answered = (answer: T | Error) => {
      if (call.answeredAt !== null) this.problems.push(new Error('answered twice'))
      Object.assign(call, { answer, answeredAt: scheduler.stepCount, answeredAtMs: scheduler.time.nowMs })
      scheduler.log(
        `  answered: ${JSON.stringify(operation)} ${answer instanceof Error ? answer.message : 'done'}`,
      )
    }
    void answer.then(answered, answered)
    return call
  }

  #hold(clock: string): void {
    const holder = new Backend(this.store, this.scheduler, `holder of ${clock}`)
    if (!this.#holders.has(clock) && this.store.tryLock(holder, `clock ${clock}`))
      this.#holders.set(clock, holder)
  }

  #release(clock: string): void {
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

/** Only the parts that submissions and checks use: the rest is slow to create. */
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
