/** Parameters of a statement in the order of its text, so that the text and the values cannot disagree. */
export class Parameters {
  readonly values: unknown[]

  /** @param values the parameters of the same statement so far; new ones are appended */
  constructor(values: unknown[] = []) {
    this.values = values
  }

  /** Adds a value. SQL: its parameter, such as `$1`. */
  parameter(value: unknown): string {
    this.values.push(value)
    return `$${this.values.length}`
  }

  /** Adds a row by its columns. SQL: the columns and their parameters, for INSERT. */
  row(columns: Readonly<Record<string, unknown>>): { names: string; parameters: string } {
    const parameters = Object.values(columns).map((value) => this.parameter(value))
    return { names: Object.keys(columns).join(', '), parameters: parameters.join(', ') }
  }
}
