import { setTimeout as pause } from 'node:timers/promises'
import { type Connection, Distribution, type Statement } from '../support/source/database.ts'
import { type Answer, Backend } from './backend.ts'
import { Course } from './course.ts'
import type { Store } from './store.ts'
import { siteOf } from './store-client.ts'

/** A connection to the store without pools, faults and chance, in real time. */
export class StoreConnection implements Connection {
  readonly distribution = new Distribution()
  readonly #store: Store
  readonly #course = new Course([])
  readonly backend: Backend

  constructor(store: Store) {
    this.#store = store
    this.backend = new Backend(store, this.#course, 'connection')
  }

  transaction<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    return work(this)
  }

  async query<Row>(statement: Statement): Promise<Row[]> {
    const site = siteOf(statement)
    const values = statement.values ?? []
    const lockTimeoutMs = site === 'move_kinds' ? (values[3] as number) : null
    const answers: Answer[] = []
    this.backend.execute({ site, values, at: this.#store.now() }, lockTimeoutMs, (answer) =>
      answers.push(answer),
    )
    while (answers.length === 0) {
      if (this.#course.waiting > 0) await this.#course.goOn()
      else await pause(1)
    }
    const [answer] = answers
    if (answer instanceof Error) throw answer
    return (answer?.rows ?? []) as Row[]
  }
}
