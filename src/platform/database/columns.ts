import { plainArray, textArray } from './sql-array.ts'

/** Array elements of these types need no quotes. */
type PlainType = 'uuid' | 'integer' | 'bigint' | 'numeric' | 'float8' | 'boolean' | 'timestamptz'
type QuotedType = 'text' | 'json' | 'jsonb' | 'bytea'
type Column<Row> =
  | readonly [type: PlainType, value: (row: Row, index: number) => string | number | boolean | Date | null]
  | readonly [type: QuotedType, value: (row: Row, index: number) => string | null]
export type ColumnList<Row> = Readonly<Record<string, Column<Row>>>

const QUOTED: ReadonlySet<string> = new Set<QuotedType>(['text', 'json', 'jsonb', 'bytea'])

/**
 * Rows as parameters of a statement: one array per column. The names, the types, the values and their order come from one
 * list, so the text of a statement and its values cannot disagree. Lists can be spread into other lists.
 */
export class Columns<Row> {
  /** The number of the first parameter after the columns. */
  readonly next: number
  readonly #first: number
  readonly #names: string[]
  readonly #columns: Column<Row>[]

  constructor(list: ColumnList<Row>, first = 1) {
    this.#first = first
    this.#names = Object.keys(list)
    this.#columns = Object.values(list)
    this.next = first + this.#columns.length
  }

  /** SQL: `$1::uuid[]` for the column of this name. */
  array(name: string): string {
    const index = this.#names.indexOf(name)
    const [type] = this.#columns[index] as Column<Row>
    return `$${this.#first + index}::${type}[]`
  }

  /** SQL: `unnest($1::uuid[], …) AS alias (id, …)`. @param ordinality the name of a column with the number of the row */
  as(alias: string, ordinality?: string): string {
    const arrays = this.#names.map((name) => this.array(name)).join(', ')
    const names = [...this.#names, ...(ordinality ? [ordinality] : [])].join(', ')
    return `unnest(${arrays})${ordinality ? ' WITH ORDINALITY' : ''} AS ${alias} (${names})`
  }

  /** The values of the parameters. */
  values(rows: readonly Row[]): unknown[] {
    return this.#columns.map(([type, value]) =>
      QUOTED.has(type) ? textArray(rows.map(value) as (string | null)[]) : plainArray(rows.map(value)),
    )
  }
}
