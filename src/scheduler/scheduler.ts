import { Cron } from 'croner'

/** Work that is done again and again. One file a job, in jobs/. */
export interface Job {
  name: string
  /** A cron pattern, in UTC. */
  pattern: string
  run: () => Promise<void>
}

export interface Scheduler {
  /** Starts no more runs and waits for the one that is on. */
  stop: () => Promise<void>
}

/** Runs each job at its times; a run that takes longer than its interval is not overtaken by the next. */
export function startScheduler(jobs: readonly Job[], onError: (error: unknown, job: Job) => void): Scheduler {
  const running = new Set<Promise<void>>()
  const crons = jobs.map(
    (job) =>
      new Cron(job.pattern, { timezone: 'UTC', protect: true }, () => {
        const run = job.run().catch((error: unknown) => onError(error, job))
        running.add(run)
        return run.finally(() => running.delete(run))
      }),
  )
  return {
    stop: async () => {
      for (const cron of crons) cron.stop()
      await Promise.all(running)
    },
  }
}
