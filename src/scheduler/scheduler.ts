import { Cron } from 'croner'
import type { Part } from '../app/part.ts'

/** Work that is done again and again. One file a job, in jobs/. */
export interface Job {
  name: string
  /** A cron pattern, in UTC. */
  pattern: string
  run: () => Promise<void>
}

/** Runs each job at its times; a run that takes longer than its interval is not overtaken by the next. */
export class Scheduler implements Part {
  readonly #jobs: readonly Job[]
  readonly #onError: (error: unknown, job: Job) => void
  readonly #running = new Set<Promise<void>>()
  #crons: Cron[] = []

  constructor(jobs: readonly Job[], onError: (error: unknown, job: Job) => void) {
    this.#jobs = jobs
    this.#onError = onError
  }

  async start(): Promise<void> {
    this.#crons = this.#jobs.map(
      (job) => new Cron(job.pattern, { timezone: 'UTC', protect: true }, () => this.#run(job)),
    )
  }

  /** Starts no more runs and waits for those that are on. */
  async stop(): Promise<void> {
    for (const cron of this.#crons) cron.stop()
    await Promise.all(this.#running)
  }

  #run(job: Job): Promise<void> {
    const run = job.run().catch((error: unknown) => this.#onError(error, job))
    this.#running.add(run)
    return run.finally(() => this.#running.delete(run))
  }
}
