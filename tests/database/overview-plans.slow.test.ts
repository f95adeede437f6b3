import { onOnePostgres } from '../support/on-one-postgres.ts'

await onOnePostgres('the plans of overviews', () => import('./overview-plans.ts'))
