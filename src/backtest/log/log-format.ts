import { InvalidArgumentError } from 'commander'

export const LOG_FORMATS = ['csv', 'json', 'ndjson', 'xes'] as const
export type LogFormat = (typeof LOG_FORMATS)[number]

/** The extension of the name decides, then the first character. A log that starts with "[" is a JSON array, unless it is named .csv. */
export function formatOf(path: string, head: string): LogFormat {
  const named = formatByName(path)
  const first = head.trimStart()[0]
  if (first === '[' && named !== 'csv') return 'json'
  if (named !== null) return named === 'json' ? 'ndjson' : named
  if (first === '{') return 'ndjson'
  return first === '<' ? 'xes' : 'csv'
}

function formatByName(path: string): LogFormat | null {
  const [, name = ''] = /\.(\w+)(?:\.gz)?$/.exec(path.toLowerCase()) ?? []
  if (name === 'jsonl') return 'ndjson'
  return LOG_FORMATS.find((format) => format === name) ?? null
}

/** A tab is hard to type in a shell. */
export function parseSeparator(text: string): string {
  if (text === '\\t' || text === 'tab') return '\t'
  if (text === '' || /["\r\n]/.test(text)) {
    throw new InvalidArgumentError('It must be one or more characters, without quotes and line breaks.')
  }
  return text
}
