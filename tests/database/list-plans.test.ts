import { after } from 'node:test'
import { onOnePostgres } from '../support/on-one-postgres.ts'
import { prepareLists, testIndexedFilter } from './list-plans.ts'

/* Some filters that an index answers. The slow suite has all filters, with ten times as many claims. */

await onOnePostgres('the plans of lists', async () => {
  const many = await prepareLists({ after }, 6_000)
  testIndexedFilter(many, 'claims', 'an id')
  testIndexedFilter(many, 'claims', 'a schema that few have')
  testIndexedFilter(many, 'candidates', 'an alias')
})
