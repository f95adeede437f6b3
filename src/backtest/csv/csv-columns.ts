import { type ColumnNames, RESERVED_NAMES } from '../log/log-row.ts'

interface PayloadColumn {
  index: number
  name: string
  /** Size of its name in a JSON object, with the quotes, the colon and a comma. */
  nameBytes: number
}

export interface CsvColumns {
  count: number
  header: readonly string[]
  case: number
  type: number
  time: number
  openedAt: number | null
  eventId: number | null
  /** Every other column under its name. */
  payload: PayloadColumn[]
  warnings: string[]
}

/** Finds the columns by name. The header must have all of them. */
export function findColumns(header: readonly string[], names: ColumnNames): CsvColumns {
  const find = (name: string) => header.indexOf(name.trim())
  const own = { case: find(names.case), type: find(names.type), time: find(names.time) }
  const openedAt = names.openedAt === undefined ? null : find(names.openedAt)
  const eventId = names.eventId === undefined ? null : find(names.eventId)
  const taken = [...Object.values(own), ...(eventId === null ? [] : [eventId])]
  return { count: header.length, header, ...own, openedAt, eventId, ...payloadColumns(header, taken) }
}

function payloadColumns(
  header: readonly string[],
  taken: number[],
): Pick<CsvColumns, 'payload' | 'warnings'> {
  const payload: PayloadColumn[] = []
  const warnings: string[] = []
  for (const [index, name] of header.entries()) {
    if (taken.includes(index)) continue
    const objection = objectionTo(name, index, header)
    if (objection) warnings.push(objection)
    else payload.push({ index, name, nameBytes: nameBytes(name) })
  }
  return { payload, warnings }
}

function objectionTo(name: string, index: number, header: readonly string[]): string | null {
  if (name === '') return `column ${index + 1} has no name: left out`
  if (header.indexOf(name) !== index) return `column ${index + 1} is a second "${name}": left out`
  if (name.split('.').includes('__proto__'))
    return `"${name}" is left out: the service refuses the key __proto__`
  return RESERVED_NAMES.has(name.split('.', 1)[0] as string) ? reservedWarning(name) : null
}

export const reservedWarning = (name: string) =>
  `"${name}" is not part of the payloads: the service reserves that name${name === 'id' ? '; ids of events are ignored, so a repeated event counts again' : ''}`

const nameBytes = (name: string) => Buffer.byteLength(JSON.stringify(name)) + 2

/** ASCII characters that JSON does not escape. */
const PLAIN = /^[ !#-[\]-~]*$/

/** The size of the row's payload as JSON, with each cell as text. */
export function payloadBytesOf(record: readonly string[], { payload }: CsvColumns): number {
  let bytes = 1
  for (const { index, nameBytes } of payload) {
    const cell = record[index] as string
    if (cell !== '') bytes += nameBytes + textBytes(cell)
  }
  return Math.max(bytes, 2)
}

const textBytes = (text: string) =>
  PLAIN.test(text) ? text.length + 2 : Buffer.byteLength(JSON.stringify(text))
