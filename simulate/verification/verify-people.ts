import type { World } from '../clients/world.ts'
import { assert } from '../model/finding.ts'
import type { Testbed } from '../testbed.ts'

/** Each acknowledged sign-up has an account, and each account one used invitation. */
export async function verifyPeople({ people }: World, testbed: Testbed): Promise<void> {
  const { signedUp, unknown } = people
  const [row] = await testbed.sql<{ accounts: number; used: number }>(
    `SELECT (SELECT count(*)::integer FROM users WHERE email LIKE 'person-%@example.com') AS accounts,
       (SELECT count(*)::integer FROM invitations WHERE used_at IS NOT NULL AND claims_user_id IS NULL) AS used`,
  )
  const { accounts = 0, used = 0 } = row ?? {}
  const matches = accounts >= signedUp && accounts <= signedUp + unknown && used === accounts
  assert(
    matches,
    () => `${accounts} accounts and ${used} used invitations`,
    () => ({ signedUp, unknown, accounts, used }),
  )
}
