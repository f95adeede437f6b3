import { demand } from './finding.ts'

/** Reads a file of RFC 4180: rows by the names of the header line. An empty field is null. */
export function readCsv(text: string): Record<string, string | null>[] {
  const [names = [], ...records] = recordsOf(text)
  return records.map((fields) => {
    demand(fields.length === names.length, () => 'a line of a CSV file has not a field for each column')
    return Object.fromEntries(names.map((name, i) => [name, fields[i] === '' ? null : (fields[i] as string)]))
  })
}

/** A field with its delimiter: quoted (with doubled quotes), or plain. */
const FIELD = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/y

function recordsOf(text: string): string[][] {
  const records: string[][] = []
  let record: string[] = []
  FIELD.lastIndex = 0
  while (FIELD.lastIndex < text.length) {
    const from = FIELD.lastIndex
    const [, quoted, plain = '', end] = FIELD.exec(text) ?? []
    demand(end !== undefined, () => `a CSV file cannot be read from character ${from} on`)
    record.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'))
    if (end === ',') continue
    demand(end !== '', () => 'a CSV file breaks off in the middle of a line')
    records.push(record)
    record = []
  }
  return records
}

/** §4.1: a spreadsheet must not evaluate a name as a formula. The simulator's names have no leading blanks. */
export const guarded = (name: string): string => (/^[=+\-@\t\r\n]/.test(name) ? `'${name}` : name)
