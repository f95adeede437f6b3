import { after } from 'node:test'
import { onOnePostgres } from '../support/on-one-postgres.ts'
import { prepareLists, testIndexedFilter, testSelectiveFilter } from './list-plans.ts'

/* Of each kind of filter an example. The slow suite has all of them, over ten times as many claims. */

await onOnePostgres('the plans of lists', async () => {
  const many = await prepareLists({ after }, 6_000)
  testIndexedFilter(many, 'claims', 'an id')
  testIndexedFilter(many, 'claims', 'a schema that few have')
  testIndexedFilter(many, 'candidates', 'an alias')
  testSelectiveFilter(many, 'claims', 'due time')
  testSelectiveFilter(many, 'claims', 'metadata that few have')
  testSelectiveFilter(many, 'candidates', 'the time in PENDING')
})
