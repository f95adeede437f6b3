import type { App } from '../../app/app.ts'
import { UnusedContracts } from '../../app/claims/remove-unused-contracts.ts'
import type { Job } from '../scheduler.ts'
import { shortRun } from './short-run.ts'

/** A day after test clocks were deleted. `onRemoved` hears of how many contracts. */
export function removeUnusedContractsJob(app: App, onRemoved: (contracts: number) => void): Job {
  const contracts = new UnusedContracts(app)
  return {
    name: 'removing unused contracts',
    pattern: '9-54/15 * * * * *',
    run: async () => {
      const removed = await contracts.removeSome(shortRun())
      if (removed > 0) onRemoved(removed)
    },
  }
}
