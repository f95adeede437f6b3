import { withRejectionHandler } from '../../../kernel/promises.ts'
import { type Line, TOO_LONG } from '../bodies/read-lines.ts'
import { MAX_LINE_BYTES_IN_PROGRESS, MAX_LINES_IN_PROGRESS } from '../limits.ts'

/** The result of reading the next line. Its promise never rejects, so it needs no handler. */
type Reading = { line: Line } | 'ended' | { failure: unknown }

interface InProgress<Result> {
  result: Promise<{ result: Result }>
  bytes: number
}

/**
 * Processes lines concurrently and yields their responses in order, each as soon as it and all before it are ready.
 * `submit` is called in the order of the lines; a rejection ends the stream. `present` makes the text of a response
 * when it is next, so waiting responses hold only their results. If reading fails, the stream ends: submissions in
 * progress continue, and no further response is sent.
 */
export async function* processLines<Result>(
  lines: AsyncIterator<Line>,
  submit: (line: Line) => Promise<Result>,
  present: (result: Result) => Promise<string>,
): AsyncGenerator<string> {
  const inProgress: InProgress<Result>[] = []
  let bytes = 0
  let reading: Promise<Reading> | null = readNext(lines)
  while (reading || inProgress.length > 0) {
    const read =
      inProgress.length < MAX_LINES_IN_PROGRESS && bytes < MAX_LINE_BYTES_IN_PROGRESS ? reading : null
    const next = inProgress[0]?.result
    const first = await Promise.race([...(next ? [next] : []), ...(read ? [read] : [])])
    if (first === 'ended') reading = null
    else if ('failure' in first) throw first.failure
    else if ('line' in first) {
      const size = first.line === TOO_LONG ? 0 : first.line.length
      bytes += size
      // Without a handler, a rejection after the end of the stream would be unhandled.
      const result = withRejectionHandler(submit(first.line).then((result) => ({ result })))
      inProgress.push({ result, bytes: size })
      reading = readNext(lines)
    } else {
      bytes -= (inProgress.shift() as InProgress<Result>).bytes
      yield await present(first.result)
    }
  }
}

/** A line is read while others are in progress. Its read may fail long before its result is used, or never be used. */
const readNext = (lines: AsyncIterator<Line>): Promise<Reading> =>
  lines.next().then(
    ({ done, value }) => (done ? 'ended' : { line: value }),
    (failure: unknown) => ({ failure }),
  )
