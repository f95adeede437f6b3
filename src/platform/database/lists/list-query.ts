/** Collects the conditions of a list's WHERE clause and their values. */
export class ListQuery {
  readonly values: unknown[]
  readonly #conditions: string[] = []

  /** @param values of other conditions of the same statement, to which those of these are added */
  constructor(values: unknown[] = []) {
    this.values = values
  }

  /** Adds `column operator value`; nothing if the value is undefined or null. */
  where(column: string, operator: '=' | '>' | '>=' | '<' | '<=', value: unknown): this {
    if (value !== undefined && value !== null) {
      this.#conditions.push(`${column} ${operator} ${this.parameter(value)}`)
    }
    return this
  }

  /** Records after the cursor's position, in the list's order. */
  after(position: string | null, order: 'asc' | 'desc'): this {
    return this.where('position', order === 'asc' ? '>' : '<', position)
  }

  parameter(value: unknown): string {
    this.values.push(value)
    return `$${this.values.length}`
  }

  get conditions(): string {
    return this.#conditions.join(' AND ')
  }
}
