import { onOnePostgres } from '../support/on-one-postgres.ts'

await onOnePostgres('the plans of lists', () => import('./list-plans.ts'))
