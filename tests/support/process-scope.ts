import type { Scope } from './test-database.ts'

const releases: (() => Promise<void>)[] = []

/** The scope of what all test files of this process share. */
export const processScope: Scope = { after: (release) => void releases.push(release) }

/** Called once, after the last file (`run-tests.ts`). Releases in reverse order. A release that fails does not stop the others. */
export async function releaseProcessScope(): Promise<void> {
  const errors: unknown[] = []
  for (const release of releases.splice(0).reverse())
    await release().catch((error: unknown) => errors.push(error))
  if (errors.length > 0) throw new AggregateError(errors, 'What the test files shared could not be released.')
}
