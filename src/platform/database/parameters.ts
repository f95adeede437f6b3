/** Collects the values of a statement while its text is built, so that each parameter in the text has its value. */
export class Parameters {
  readonly values: unknown[]

  /** @param values values of the same statement; further values are appended */
  constructor(values: unknown[] = []) {
    this.values = values
  }

  /** Adds a value. Returns SQL: the parameter of the value, such as `$1`. */
  parameter(value: unknown): string {
    this.values.push(value)
    return `$${this.values.length}`
  }

  /** Adds the values of a row, by column. Returns SQL for INSERT: the names of the columns, and the parameters of the values. */
  row(columns: Readonly<Record<string, unknown>>): { names: string; parameters: string } {
    const parameters = Object.values(columns).map((value) => this.parameter(value))
    return { names: Object.keys(columns).join(', '), parameters: parameters.join(', ') }
  }
}
