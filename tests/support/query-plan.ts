import assert from 'node:assert/strict'
import pg from 'pg'
import { connectionOf } from './connection-of.ts'
import { type Connection, POOL_SETTINGS, type Statement } from './source/database.ts'
import type { Scope } from './test-database.ts'

interface PlanNode {
  'Node Type': string
  'Relation Name'?: string
  'Index Name'?: string
  'Actual Rows'?: number
  'Actual Loops'?: number
  'Rows Removed by Filter'?: number
  'Rows Removed by Index Recheck'?: number
  'Rows Removed by Join Filter'?: number
  Plans?: PlanNode[]
}

/** How PostgreSQL executes a statement. */
export interface Plan {
  /** The name in the comment at the start of the statement. */
  name: string
  /** Tables with a sequential scan. */
  scannedWhole: string[]
  /** The largest number of rows in one sort. */
  rowsSorted: number
  /** Rows that were read from tables and indexes, including filtered ones. */
  rowsRead: number
  text: string
}

type Mode = 'custom' | 'generic'

export interface PlanReader {
  connection: Connection
  /** The plans of the statements since the last call. */
  take: () => Plan[]
}

/**
 * A connection that executes each statement twice: first by EXPLAIN, rolled back, then normally. PostgreSQL plans a named statement
 * for each set of values at first (`custom`), and later for all values (`generic`).
 */
export async function readPlans(t: Scope, databaseUrl: string, mode: Mode = 'custom'): Promise<PlanReader> {
  const client = new pg.Client({ connectionString: databaseUrl })
  client.on('error', () => {})
  await client.connect()
  await client.query(POOL_SETTINGS)
  await client.query(`SET plan_cache_mode = force_${mode}_plan`)
  t.after(() => client.end())
  let plans: Plan[] = []
  return {
    connection: connectionOf(async <Row>(statement: Statement) => {
      const { values = [] } = statement
      // Explains the query of a cursor.
      const text = statement.text.replace(/DECLARE .* CURSOR FOR/, '')
      plans.push(await explain(client, text, values))
      return (await client.query(text, values as unknown[])).rows as Row[]
    }),
    take: () => {
      const taken = plans
      plans = []
      return taken
    },
  }
}

async function explain(client: pg.Client, text: string, values: readonly unknown[]): Promise<Plan> {
  await client.query('BEGIN')
  try {
    await client.query(`PREPARE explained AS ${text}`)
    const literals = values.map((value) => literalOf(value)).join(', ')
    const execute = `EXECUTE explained${literals && `(${literals})`}`
    const { rows } = await client.query(`EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) ${execute}`)
    return toPlan(text, rows[0]['QUERY PLAN'][0].Plan)
  } finally {
    await client.query('ROLLBACK')
    await client.query('DEALLOCATE ALL')
  }
}

/** The value as a literal of SQL. */
export function literalOf(value: unknown): string {
  if (value === null || value === undefined) return 'NULL'
  if (Array.isArray(value)) return pg.escapeLiteral(arrayText(value))
  return pg.escapeLiteral(scalarText(value))
}

function scalarText(value: unknown): string {
  if (Buffer.isBuffer(value)) return `\\x${value.toString('hex')}`
  return value instanceof Date ? value.toISOString() : String(value)
}

const arrayText = (values: readonly unknown[]) =>
  `{${values
    .map((value) =>
      value === null || value === undefined
        ? 'NULL'
        : `"${scalarText(value).replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`,
    )
    .join(',')}}`

/** Tables with one row. */
const SEQUENCES = ['notification_numbers']

function toPlan(text: string, root: PlanNode): Plan {
  const nodes = nodesOf(root)
  const scans = nodes.filter(
    (node) => node['Index Name'] !== undefined || node['Relation Name'] !== undefined,
  )
  return {
    name: /-- (\w+)/.exec(text)?.[1] ?? text.slice(0, 40),
    scannedWhole: nodes
      .filter((node) => node['Node Type'] === 'Seq Scan')
      .map((node) => node['Relation Name'] as string)
      .filter((name) => !SEQUENCES.includes(name)),
    rowsSorted: Math.max(
      0,
      ...nodes.filter((node) => /Sort/.test(node['Node Type'])).map((node) => inputOf(node)),
    ),
    rowsRead: scans
      .filter((node) => node['Node Type'] !== 'ModifyTable')
      .flatMap((node) => ROWS_READ.map((kind) => leastRows(node, kind)))
      .reduce((sum, rows) => sum + rows, 0),
    text: JSON.stringify(root),
  }
}

/** Rows of a scan: returned and filtered ones. */
const ROWS_READ = ['Actual Rows', 'Rows Removed by Filter', 'Rows Removed by Index Recheck'] as const

/** Rows of all loops. PostgreSQL reports the mean of a loop, before version 18 as a whole number. */
function leastRows(node: PlanNode, kind: (typeof ROWS_READ)[number]): number {
  const { [kind]: mean = 0, 'Actual Loops': loops = 1 } = node
  return loops > 1 && mean > 0 && Number.isInteger(mean) ? Math.ceil((mean - 0.5) * loops) : mean * loops
}

const inputOf = ({ Plans = [] }: PlanNode): number =>
  Math.max(0, ...Plans.map((node) => (node['Actual Rows'] ?? 0) * (node['Actual Loops'] ?? 1)))

const nodesOf = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)]

/** The plan has no sequential scan of the service's tables, and sorts and reads at most these numbers of rows. */
export function assertBounded(plan: Plan, most: { rowsRead: number; rowsSorted: number }): void {
  const said = `${plan.name}: ${plan.text}`
  assert.deepEqual(plan.scannedWhole, [], said)
  assert.ok(plan.rowsSorted <= most.rowsSorted, `sorts ${plan.rowsSorted} rows. ${said}`)
  assert.ok(plan.rowsRead <= most.rowsRead, `reads ${plan.rowsRead} rows. ${said}`)
}
