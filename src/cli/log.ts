import { type Logger, pino } from 'pino'
import pretty from 'pino-pretty'

/** The log: JSON lines on standard error, or readable lines where that is a terminal. */
export function createLog(level: string): Logger {
  if (process.stderr.isTTY)
    return pino({ level }, pretty({ destination: 2, ignore: 'pid,hostname,reqId', sync: true }))
  return pino({ level }, pino.destination({ dest: 2, sync: true }))
}
