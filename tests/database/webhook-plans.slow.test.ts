import { onOnePostgres } from '../support/on-one-postgres.ts'

await onOnePostgres('the plans of statements about webhooks', () => import('./webhook-plans.ts'))
