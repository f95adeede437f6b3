import { validationError } from '../../../kernel/errors.ts'
import { Parameters } from '../parameters.ts'

/** Collects the conditions of a list's WHERE clause and their values. */
export class ListQuery extends Parameters {
  readonly #conditions: string[] = []

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

  get conditions(): string {
    return this.#conditions.join(' AND ')
  }
}

export interface PageRequest {
  /** The last record of the page before, as the caller names it; exclusive. */
  after: string | undefined
  /** Records a page, 1 to 100. */
  limit: number
  order: 'asc' | 'desc'
}

/**
 * The position in the list of the record that `after` names, looked up by each way of naming in turn.
 * @throws VALIDATION_ERROR if it names none of the account's records.
 */
export async function resolveCursor(
  after: string | undefined,
  ...lookUps: ((name: string) => Promise<string | null>)[]
): Promise<string | null> {
  if (after === undefined) return null
  for (const lookUp of lookUps) {
    const position = await lookUp(after)
    if (position !== null) return position
  }
  throw unknownCursor()
}

export const unknownCursor = () =>
  validationError([
    { path: 'after', message: 'names no record of this list; use next_cursor of the page before' },
  ])
