import type { App } from '../../app/app.ts'
import { UnusedContracts } from '../../app/claims/remove-unused-contracts.ts'
import type { Job } from '../scheduler.ts'

/** Of each run, so that a server that stops does not wait for it. */
const LONGEST_MS = 2_000

/** A day after test clocks were deleted. `onRemoved` hears of how many contracts. */
export function removeUnusedContractsJob(app: App, onRemoved: (contracts: number) => void): Job {
  const contracts = new UnusedContracts(app)
  return {
    name: 'removing unused contracts',
    pattern: '9-54/15 * * * * *',
    run: async () => {
      const startedAt = performance.now()
      const removed = await contracts.removeSome(() => performance.now() - startedAt >= LONGEST_MS)
      if (removed > 0) onRemoved(removed)
    },
  }
}
