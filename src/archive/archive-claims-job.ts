import type { App } from '../app.ts'
import { type Job, shortRun } from '../platform/jobs/scheduler.ts'
import { type ArchiveSettings, ClaimArchive } from './claim-archive.ts'

/** Piece by piece, at no whole minute. `onArchived` hears how many left. */
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
