import { test } from 'node:test'
import { isOnCitus } from '../../support/database-nodes.ts'
import { readPages } from '../../support/read-pages.ts'
import { sharedService } from '../../support/shared.ts'
import { addRecords, compareQueries, PATHS } from './random-queries.ts'

/** On several machines each page takes several times as long. */
const QUERIES = isOnCitus() ? 15 : 80

const service = await sharedService()
await addRecords(service, 1_000)

for (const path of PATHS)
  test(`GET ${path} answers ${QUERIES} random queries as the records say`, async () => {
    const all = (await readPages(service.api, path, { limit: 100 })).flat()
    await compareQueries(service.api, path, all, QUERIES)
  })
