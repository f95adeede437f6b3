import assert from 'node:assert/strict'
import { after } from 'node:test'
import { archiveFolder, resolvedClaims } from '../../support/archived-claims.ts'
import { assertError } from '../../support/assert-error.ts'
import { movedBy, TIMES_OF_CLAIM } from '../../support/moved-times.ts'
import { ClaimArchive, restoreClaim } from '../../support/source/claims.ts'
import type { Operation } from '../fault-table.ts'
import type { Testbed } from '../testbed.ts'

const folder = await archiveFolder({ after })

const rowsOf = async ({ service: { sql } }: Testbed, id: string) => [
  ...(await sql('SELECT to_jsonb(c) AS row FROM claims c WHERE id = $1', [id])),
  ...(await sql('SELECT to_jsonb(e) AS row FROM claim_events e WHERE claim_id = $1 ORDER BY seq', [id])),
]

/** A claim that may be archived. */
async function oldClaim({ service, customer }: Testbed): Promise<string> {
  const { api, sql } = service
  const [id = ''] = await resolvedClaims(service, api, customer.id, 1)
  await sql(`UPDATE claims SET ${movedBy('-40 days', TIMES_OF_CLAIM)} WHERE id = $1`, [id])
  await sql('DELETE FROM notifications WHERE subject_id = $1', [id])
  // A fault of the previous run may have prevented the release of the lock.
  await sql('UPDATE archive_turn SET holder = NULL')
  return id
}

const archiving: Operation = {
  name: 'archiving claims',
  begin: async (testbed) => {
    const { app, api } = testbed.service
    const id = await oldClaim(testbed)
    const rows = await rowsOf(testbed, id)
    const archive = new ClaimArchive(app, { days: 30, folder })
    const run = () => archive.archiveSome(() => false)
    return {
      run: () => run().catch(() => {}),
      finish: async () => {
        await run()
        assertError(await api.get(`/v1/claims/${id}`), 410, 'CLAIM_ARCHIVED')
        assert.deepEqual(await rowsOf(testbed, id), [])
        await restoreClaim(app, folder, { kind: 'claim', id })
        assert.deepEqual(await rowsOf(testbed, id), rows)
      },
    }
  },
}

const restoring: Operation = {
  name: 'restoring a claim',
  begin: async (testbed) => {
    const { app, api } = testbed.service
    const id = await oldClaim(testbed)
    const rows = await rowsOf(testbed, id)
    await new ClaimArchive(app, { days: 30, folder }).archiveSome(() => false)
    assertError(await api.get(`/v1/claims/${id}`), 410, 'CLAIM_ARCHIVED')
    const restore = () => restoreClaim(app, folder, { kind: 'claim', id })
    return {
      run: () => restore().catch(() => {}),
      finish: async () => {
        await restore().catch((error: Error) => assert.match(error.message, /was restored already/))
        assert.deepEqual(await rowsOf(testbed, id), rows)
      },
    }
  },
}

export const ARCHIVE_OPERATIONS: readonly Operation[] = [archiving, restoring]
