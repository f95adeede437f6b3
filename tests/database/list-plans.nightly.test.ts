import { after } from 'node:test'
import { onOnePostgres } from '../support/on-one-postgres.ts'
import {
  prepareLists,
  SELECTIVE,
  testCrowdedSearch,
  testEmptyPages,
  testIndexedFilter,
  testSelectiveFilter,
  testTotals,
} from './list-plans.ts'

await onOnePostgres('the plans of lists of many claims', async () => {
  const many = await prepareLists({ after }, 60_000, { isCrowded: true })
  for (const name of ['claims', 'candidates'] as const) {
    for (const what of Object.keys(many.lists[name].cases)) testIndexedFilter(many, name, what)
    for (const what of Object.keys(SELECTIVE)) testSelectiveFilter(many, name, what)
    testTotals(many, name)
  }
  testCrowdedSearch(many)
  testEmptyPages(many)
})
