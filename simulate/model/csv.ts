import { assert } from './finding.ts'

/** Parses CSV (RFC 4180) with a header line. Each record maps the column names to fields. An empty field is null. */
export function readCsv(text: string): Record<string, string | null>[] {
  const [names = [], ...records] = recordsOf(text)
  return records.map((fields) => {
    assert(
      fields.length === names.length,
      () => `a CSV record has ${fields.length} fields, and the header has ${names.length}`,
    )
    return Object.fromEntries(names.map((name, i) => [name, fields[i] === '' ? null : (fields[i] as string)]))
  })
}

/** A field with its delimiter. Quotes in a quoted field are doubled. */
const FIELD = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/y

function recordsOf(text: string): string[][] {
  const records: string[][] = []
  let record: string[] = []
  FIELD.lastIndex = 0
  while (FIELD.lastIndex < text.length) {
    const from = FIELD.lastIndex
    const [, quoted, plain = '', end] = FIELD.exec(text) ?? []
    assert(end !== undefined, () => `a CSV file is invalid at character ${from}`)
    record.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'))
    if (end === ',') continue
    assert(end !== '', () => 'a CSV file ends in the middle of a record')
    records.push(record)
    record = []
  }
  return records
}

/** Prevents CSV injection: a spreadsheet evaluates a cell that begins like a formula (§4.1). */
export const escapeFormula = (name: string): string => (/^[=+\-@\t\r\n]/.test(name) ? `'${name}` : name)
