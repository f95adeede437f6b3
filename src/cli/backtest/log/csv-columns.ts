import { OperatorError } from '../../../operator-error.ts'
import { type ColumnNames, RESERVED_NAMES } from './log-row.ts'

interface PayloadColumn {
  index: number
  name: string
  /** Of its name in a JSON object, with the quotes, the colon and a comma. */
  nameBytes: number
  /** Whether a contract looks at it. */
  isRead: boolean
}

export interface CsvColumns {
  count: number
  case: number
  type: number
  time: number
  openedAt: number | null
  /** Every other column under its name. */
  payload: PayloadColumn[]
  warnings: string[]
}

/** Finds the columns in the header of the log. @throws OperatorError that names those there are. */
export function findColumns(
  header: readonly string[],
  names: ColumnNames,
  separator: string,
  fields: ReadonlySet<string>,
): CsvColumns {
  const find = (option: string, name: string) => {
    const index = header.indexOf(name)
    if (index !== -1) return index
    throw new OperatorError(
      `the log has no column "${name}" (${option}); separated by ${JSON.stringify(separator)} it has: ${header.join(', ')}`,
    )
  }
  const own = {
    case: find('--case', names.case),
    type: find('--type', names.type),
    time: find('--time', names.time),
  }
  const openedAt = names.openedAt === undefined ? null : find('--opened-at', names.openedAt)
  const others = payloadColumns(header, Object.values(own), fields)
  return { count: header.length, ...own, openedAt, ...others }
}

function payloadColumns(
  header: readonly string[],
  taken: number[],
  fields: ReadonlySet<string>,
): Pick<CsvColumns, 'payload' | 'warnings'> {
  const payload: PayloadColumn[] = []
  const warnings: string[] = []
  for (const [index, name] of header.entries()) {
    if (taken.includes(index)) continue
    const objection = objectionTo(name, index, header)
    if (objection) warnings.push(objection)
    else payload.push({ index, name, nameBytes: nameBytes(name), isRead: fields.has(name) })
  }
  return { payload, warnings }
}

function objectionTo(name: string, index: number, header: readonly string[]): string | null {
  if (name === '') return `column ${index + 1} has no name: left out`
  if (header.indexOf(name) !== index) return `column ${index + 1} is a second "${name}": left out`
  return RESERVED_NAMES.has(name) ? reservedWarning(name) : null
}

export const reservedWarning = (name: string) =>
  `"${name}" is left out of the payloads: the service keeps that name`

const nameBytes = (name: string) => Buffer.byteLength(JSON.stringify(name)) + 2
