import { type Logger, type LoggerOptions, pino } from 'pino'
import pretty from 'pino-pretty'
import { printableJson, printableOnceParsed } from './printable.ts'

/** What PostgreSQL says of an error beside its message: it repeats the values of rows and of statements. */
const VALUES = ['detail', 'where', 'internalQuery'] as const
/** Bytes of lines that wait for room, if the disk is full; later ones are lost. No line is as long: no body of a request is. */
const MAX_BUFFERED_BYTES = 8 * 1024 * 1024
/** An API token, wherever a library or a caller has put it. */
const TOKEN = /ck_[A-Za-z0-9_-]{43}/g

function describeError(error: Error): object {
  const described: Record<string, unknown> = { ...pino.stdSerializers.err(error) }
  for (const name of VALUES) delete described[name]
  return described
}

/**
 * The log: JSON lines on standard error, or readable lines if that is a terminal. It holds no secrets, and no
 * control characters of callers. That it cannot be written harms nobody: the disk may be full.
 * @param fd another file, if not standard error
 */
export function createLog(level: string, fd = 2): Logger {
  const isTTY = fd === 2 && process.stderr.isTTY
  const escaped = isTTY ? printableOnceParsed : printableJson
  const options: LoggerOptions = {
    level,
    serializers: { err: describeError },
    hooks: { streamWrite: (line) => escaped(line.replaceAll(TOKEN, 'ck_…')) },
  }
  if (isTTY) return pino(options, pretty({ destination: 2, ignore: 'pid,hostname,reqId', sync: true }))
  const destination = pino.destination({ dest: fd, sync: true, maxLength: MAX_BUFFERED_BYTES })
  // Without a listener the error would be thrown in the code that logs.
  destination.on('error', () => {})
  // One try, since by itself it tries until there is room, and nothing else goes on meanwhile: after each fatal line.
  const writeHeld = () => destination.write('')
  destination.flushSync = writeHeld
  process.on('exit', writeHeld)
  return pino(options, destination)
}
