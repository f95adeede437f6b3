import type { App } from '../app.ts'
import { type Job, shortRun } from '../platform/jobs/scheduler.ts'
import { type ArchiveSettings, ClaimArchive } from './claim-archive.ts'

/** Starts 15 s after a whole minute, beside the scheduled check. `onArchived` receives the number of archived claims. */
export function archiveClaimsJob(
  app: App,
  settings: ArchiveSettings,
  onArchived: (claims: number) => void,
): Job {
  const archive = new ClaimArchive(app, settings)
  return {
    name: 'archiving claims',
    every: 15,
    run: async () => {
      const archived = await archive.archiveSome(shortRun())
      if (archived > 0) onArchived(archived)
    },
  }
}
