import type { Scope } from './test-database.ts'

const releases: (() => Promise<void>)[] = []

/** What lives until the last test file of this process has ended. */
export const processScope: Scope = { after: (release) => void releases.push(release) }

/** Called once, after the last file (`run-tests.ts`). The newest goes first. */
export async function releaseProcessScope(): Promise<void> {
  for (const release of releases.splice(0).reverse()) await release()
}
