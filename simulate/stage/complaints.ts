/** Errors while the database is away, or too many requests wait for it. */
const AWAY = ['DatabaseUnavailable', 'DatabaseOverloaded']
/** What the errors say that the stage's own trigger raises, and the fault proxy's. */
const OURS = /a fault of the (?:simulator|test)/
const ERROR_LEVEL = 50

interface LogLine {
  level?: number
  worker?: number
  signal?: string
  err?: { type?: string; code?: string; message?: string }
}

/**
 * Whether a line of a server's log is a finding: of level error or worse, and not what the faults bring with them. A
 * refused statement may end in a 500 where the database gives an answer that it never gives by itself.
 */
export function isComplaint(text: string): boolean {
  const line = parse(text)
  // Node's own words, such as those of an exception before the log is there.
  if (line === null) return text.trim() !== '' && !isStartup(text) && !isWarning(text)
  if ((line.level ?? 0) < ERROR_LEVEL) return false
  return !AWAY.includes(line.err?.type ?? '') && !OURS.test(line.err?.message ?? '')
}

/** What a server says of a worker that was killed. */
export function isOfKilledWorker(text: string): boolean {
  const line = parse(text)
  return line?.worker !== undefined && line.signal === 'SIGKILL'
}

/** Of Node, such as of a use that a library gives up: worth a look, and no failure. */
export const isWarning = (text: string) => /^\(node:\d+\) \w*Warning: |^\(Use `node --trace-/.test(text)

/** A start that fails for the database is tried again, and is a finding only if it never succeeds. */
const isStartup = (text: string) => text.startsWith('claimkeeper:')

function parse(text: string): LogLine | null {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
