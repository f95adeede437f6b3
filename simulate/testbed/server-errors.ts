/** Errors while the database is unavailable or overloaded. */
const DATABASE_ERRORS = ['DatabaseUnavailable', 'DatabaseOverloaded']
/** Messages of the errors that the triggers of the testbed and the fault proxy raise. */
const INJECTED_MESSAGE = /a fault of the (?:simulator|test)/
/** The message if a Citus node has not committed a contract yet, because a connection was cut during the commit. */
const MISSING_CONTRACT = 'A contract cannot be read at the moment.'
const ERROR_LEVEL = 50

interface LogLine {
  level?: number
  worker?: number
  signal?: string
  err?: { type?: string; code?: string; message?: string }
}

/**
 * Whether a line of a server's log is a finding: level error or worse, and not caused by a fault. A refused statement
 * may end in a 500 if the database returns an error that it never returns by itself.
 */
export function isServerError(text: string): boolean {
  const line = parse(text)
  // Output of Node, such as an exception before the log is set up.
  if (line === null) return text.trim() !== '' && !isStartup(text) && !isWarning(text)
  if ((line.level ?? 0) < ERROR_LEVEL) return false
  return !DATABASE_ERRORS.includes(line.err?.type ?? '') && !INJECTED_MESSAGE.test(line.err?.message ?? '')
}

/** A log line about a contract that its Citus node does not have yet. Without Citus such a line is a finding. */
export const isMissingContract = (text: string): boolean => parse(text)?.err?.message === MISSING_CONTRACT

/** A log line about a killed worker. */
export function isKilledWorkerLog(text: string): boolean {
  const line = parse(text)
  return line?.worker !== undefined && line.signal === 'SIGKILL'
}

/** A warning of Node, such as a deprecation in a library. Not a failure. */
export const isWarning = (text: string) => /^\(node:\d+\) \w*Warning: |^\(Use `node --trace-/.test(text)

/** A start that fails because of the database is retried. It is a finding only if it never succeeds. */
const isStartup = (text: string) => text.startsWith('claimkeeper:')

function parse(text: string): LogLine | null {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
