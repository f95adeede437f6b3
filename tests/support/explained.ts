import assert from 'node:assert/strict'
import { connectionOf } from './connection-of.ts'
import { literalOf } from './query-plan.ts'
import type { Connection, Statement } from './source/database.ts'

interface Node {
  'Node Type': string
  'Index Name'?: string
  'Relation Name'?: string
  'Sort Method'?: string
  'Actual Rows': number
  'Actual Loops': number
  'Heap Fetches'?: number
  'Rows Removed by Filter'?: number
  'Rows Removed by Index Recheck'?: number
  Plans?: Node[]
}

/** The work of statements on the table of claims. */
export interface Effort {
  /** Rows that were read. */
  rows: number
  /** Index entries that were read without their rows. */
  entries: number
  /** Rows that were sorted, except in a sort that keeps only the first few. */
  sorted: number
  scans: string[]
}

/** A connection that explains each statement on claims. The plan is generic, as in the pools of the service. */
export function explaining(db: Connection): { db: Connection; effort: Effort } {
  const effort: Effort = { rows: 0, entries: 0, sorted: 0, scans: [] }
  const query = async <Row>(statement: Statement): Promise<Row[]> => {
    if (/FROM claim(s|_metadata)\b/.test(statement.text)) {
      const [row] = await db.transaction((connection) => explain(connection, statement))
      assert.ok(row)
      add(effort, row['QUERY PLAN'][0].Plan)
    }
    return db.query<Row>(statement)
  }
  return { db: connectionOf(query), effort }
}

async function explain(db: Connection, { text, values = [] }: Statement) {
  await db.query({ text: `PREPARE explained AS ${text}` })
  const literals = values.map(literalOf).join(', ')
  const execute = `EXECUTE explained${literals && `(${literals})`}`
  const rows = await db.query<{ 'QUERY PLAN': [{ Plan: Node }] }>({
    text: `EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) ${execute}`,
  })
  await db.query({ text: 'DEALLOCATE explained' })
  return rows
}

function add(effort: Effort, node: Node): void {
  const type = node['Node Type']
  const removed = (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0)
  const seen = Math.round((node['Actual Rows'] + removed) * node['Actual Loops'])
  if (type === 'Index Only Scan') {
    effort.entries += seen
    effort.rows += node['Heap Fetches'] ?? 0
  } else if (node['Relation Name'] === 'claims') effort.rows += seen
  else if (type === 'Sort' && node['Sort Method'] !== 'top-N heapsort') effort.sorted += seen
  if (type.endsWith('Scan')) effort.scans.push(`${type} ${node['Index Name'] ?? node['Relation Name'] ?? ''}`)
  for (const child of node.Plans ?? []) add(effort, child)
}
