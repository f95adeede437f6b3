import type { Scope } from './test-database.ts'

const releases: (() => Promise<void>)[] = []

/** What lives until the last test file of this process has ended. */
export const processScope: Scope = { after: (release) => void releases.push(release) }

/** Called once, after the last file (`run-tests.ts`). The newest goes first; one that fails keeps no other from its turn. */
export async function releaseProcessScope(): Promise<void> {
  const errors: unknown[] = []
  for (const release of releases.splice(0).reverse())
    await release().catch((error: unknown) => errors.push(error))
  if (errors.length > 0) throw new AggregateError(errors, 'What the test files shared could not be released.')
}
