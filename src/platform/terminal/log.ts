import { type Logger, type LoggerOptions, pino } from 'pino'
import pretty from 'pino-pretty'
import { MAX_BUFFERED_LOG_BYTES } from './limits.ts'
import { printableAfterParsing, printableJson } from './printable.ts'

/** Fields of PostgreSQL's errors that contain values of rows and statements. */
const VALUES = ['detail', 'where', 'internalQuery'] as const
/** An API token anywhere in a line. */
const TOKEN = /ck_[A-Za-z0-9_-]{43}/g

function describeError(error: Error): object {
  const described: Record<string, unknown> = { ...pino.stdSerializers.err(error) }
  for (const name of VALUES) delete described[name]
  return described
}

/**
 * The log: JSON lines on standard error, or readable lines if that is a terminal. It contains no secrets and no control characters of
 * callers. Write errors are ignored: the disk may be full.
 * @param fd another file descriptor than standard error
 */
export function createLog(level: string, fd = 2): Logger {
  const isTTY = fd === 2 && process.stderr.isTTY
  const escaped = isTTY ? printableAfterParsing : printableJson
  const options: LoggerOptions = {
    level,
    serializers: { err: describeError },
    hooks: { streamWrite: (line) => escaped(line.replaceAll(TOKEN, 'ck_…')) },
  }
  if (isTTY) return pino(options, pretty({ destination: 2, ignore: 'pid,hostname,reqId', sync: true }))
  const destination = pino.destination({ dest: fd, sync: true, maxLength: MAX_BUFFERED_LOG_BYTES })
  // Without a listener the error would be thrown in the code that logs.
  destination.on('error', () => {})
  // A single attempt. After each fatal line pino would otherwise block the process until the disk has space.
  const writeBuffered = () => destination.write('')
  destination.flushSync = writeBuffered
  process.on('exit', writeBuffered)
  return pino(options, destination)
}
