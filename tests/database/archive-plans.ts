import { randomUUID } from 'node:crypto'
import { after, test } from 'node:test'
import { addManyClaims } from '../support/many-claims.ts'
import { assertBounded, readPlans } from '../support/query-plan.ts'
import {
  findArchivedClaims,
  findArchivedPosition,
  findClaimsToArchive,
  findClaimsWithDeliveries,
  readWholeClaims,
  readWholeLogs,
  removeArchivedClaims,
} from '../support/source/claims.ts'
import { startTestService } from '../support/test-service.ts'

/* What the archive sends reads about as many rows as it takes, however many claims there are. */

const COUNT = 100
const service = await startTestService({ after })
const userId = randomUUID()
await addManyClaims(service, userId, 10_000)
await service.sql(
  `INSERT INTO notifications (number, user_id, subject_id, kind, sequence, status_since, created_at)
   SELECT n, $1, gen_random_uuid(), 'created', 0, now(), now() FROM generate_series(1, 10000) AS n`,
  [userId],
)
await service.sql(
  `INSERT INTO archived_claims (id, user_id, is_candidate, position, status, event_count, file_id, archived_at)
   SELECT gen_random_uuid(), $1, false, n, 'FAILED', 3, $1, now() FROM generate_series(1, 10000) AS n`,
  [userId],
)
await service.sql(
  `INSERT INTO webhook_deliveries (endpoint_id, number, notification_id, subject_id, type, created_at, body, bytes, hash,
     previous_hash, next_attempt_at)
   SELECT $1, n, gen_random_uuid(), gen_random_uuid(), 'claim.created', now(), '{}', 2, '', '', now() FROM generate_series(1, 10000) AS n`,
  [userId],
)
await service.sql('ANALYZE notifications')
await service.sql('ANALYZE webhook_deliveries')
await service.sql('ANALYZE archived_claims')

for (const mode of ['custom', 'generic'] as const) {
  test(`a batch of claims is found, read and removed by indexes (${mode} plans)`, async () => {
    const { connection, take } = await readPlans({ after }, service.databaseUrl, mode)
    const old = new Date(Date.now() - 24 * 3_600_000)
    const batch = await findClaimsToArchive(connection, userId, old, [randomUUID()], COUNT)
    const ids = batch.map(({ id }) => id)
    await findClaimsWithDeliveries(connection, ids)
    await readWholeClaims(connection, ids)
    await readWholeLogs(connection, ids, 0, 1_000)
    await removeArchivedClaims(
      connection,
      batch.map((one) => ({ ...one, contractHash: null, metadataDigest: null })),
      randomUUID(),
      old,
    )
    await findArchivedClaims(connection, ids)
    await findArchivedPosition(connection, userId, 'claim', ids[0] as string)
    for (const plan of take()) assertBounded(plan, { rowsRead: 6 * COUNT, rowsSorted: COUNT })
  })
}
