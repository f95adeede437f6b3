import { onOnePostgres } from '../support/on-one-postgres.ts'

await onOnePostgres('the old plans of webhooks', () => import('./webhook-old-plans.ts'))
