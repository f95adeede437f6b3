import { onOnePostgres } from '../support/on-one-postgres.ts'

await onOnePostgres('the plans of the archive’s statements', () => import('./archive-plans.ts'))
