import { Cron } from 'croner'
import type { Lifecycle } from '../../kernel/start-stop.ts'
import { MAX_RUN_MS } from './limits.ts'

/** Periodic work. */
export interface Job {
  name: string
  /**
   * Each whole minute, or an interval in seconds: a divisor of 60, or whole minutes that divide an hour. Interval jobs never run at a whole
   * minute, when the scheduled check begins.
   */
  every: 'whole minute' | number
  run: () => Promise<void>
}

/** Coprime to the seconds among which jobs are spread, so that neighbours differ. */
const SPREAD = 11

/** The job's cron pattern. Neighbours in a list with the same interval start at different seconds. */
export function patternOf({ every }: Pick<Job, 'every'>, index: number): string {
  if (every === 'whole minute') return '* * * * *'
  const second = 1 + ((index * SPREAD) % Math.max(1, Math.min(every, 60) - 1))
  if (every < 60) return `${second}-59/${every} * * * * *`
  const minute = every < 3_600 ? `*/${every / 60}` : (index * SPREAD) % 60
  return `${second} ${minute} * * * *`
}

/** Runs each job at its times; a run that takes longer than its interval is not overtaken by the next. */
export class Scheduler implements Lifecycle {
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
      (job, i) => new Cron(patternOf(job, i), { timezone: 'UTC', protect: true }, () => this.#run(job)),
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

/** For work that is done piece by piece, run after run: says when this run has had its time. */
export function shortRun(): () => boolean {
  const end = performance.now() + MAX_RUN_MS
  return () => performance.now() >= end
}
