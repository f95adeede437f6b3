import { readFile } from 'node:fs/promises'
import { ERRORS } from './source/errors.ts'

const openapi = await readFile(new URL('../../openapi.json', import.meta.url), 'utf8')
const STATUSES = ['OPEN', 'PENDING', 'CONFIRMED', 'FAILED']

/** By label, or by metric and label. */
const VALUES: Record<string, string[]> = {
  outcome: ['recorded', 'repeated', ...Object.keys(ERRORS)],
  operation: [...[...openapi.matchAll(/"operationId": "(\w+)"/g)].map(([, id]) => id as string), 'other'],
  status: [...openapi.matchAll(/"([2-5]\d\d)": \{/g)].map(([, status]) => status as string),
  by: ['event', 'check', 'test_clock'],
  to: STATUSES,
  pool: ['reads', 'writes', 'test_clocks', 'submissions', 'checks', 'identity'],
  quantile: ['0.5', '0.99', '1'],
  kind: ['resident', 'heap', 'external'],
  'claimkeeper_archive_runs_total.result': ['done', 'failed'],
  'claimkeeper_checks_total.result': ['done', 'failed'],
  'claimkeeper_webhook_attempts_total.result': ['succeeded', 'refused', 'unanswered'],
  'claimkeeper_webhook_endpoints.state': ['sending', 'waiting'],
  'claimkeeper_pool_connections.state': ['used', 'idle'],
}

/** All values of a metric's label. Undefined if they are not a fixed list. */
export const valuesOf = (metric: string, label: string): string[] | undefined =>
  VALUES[`${metric}.${label}`] ?? VALUES[label]
