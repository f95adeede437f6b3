import { setTimeout as pause } from 'node:timers/promises'
import { type Connection, Distribution, type Statement } from '../support/source/database.ts'
import { type Answer, Backend } from './backend.ts'
import { StepScheduler } from './step-scheduler.ts'
import type { Store } from './store.ts'
import { statementNameOf } from './store-client.ts'

/** A connection to the store without pool, faults or random order, in real time. */
export class StoreConnection implements Connection {
  readonly distribution = new Distribution()
  readonly #store: Store
  readonly #scheduler = new StepScheduler([])
  readonly backend: Backend

  constructor(store: Store) {
    this.#store = store
    this.backend = new Backend(store, this.#scheduler, 'connection')
  }

  transaction<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    return work(this)
  }

  async query<Row>(statement: Statement): Promise<Row[]> {
    const name = statementNameOf(statement)
    const values = statement.values ?? []
    const lockTimeoutMs = name === 'move_kinds' ? (values[3] as number) : null
    const answers: Answer[] = []
    this.backend.execute({ statement: name, values, at: this.#store.now() }, lockTimeoutMs, (answer) =>
      answers.push(answer),
    )
    while (answers.length === 0) {
      if (this.#scheduler.pending > 0) await this.#scheduler.runNext()
      else await pause(1)
    }
    const [answer] = answers
    if (answer instanceof Error) throw answer
    return (answer?.rows ?? []) as Row[]
  }
}
