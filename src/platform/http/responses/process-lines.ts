import { withRejectionHandler } from '../../../kernel/promises.ts'
import { type Line, TOO_LONG } from '../bodies/read-lines.ts'

/** Lines of one request that are processed at once, and their bytes. A client that sends faster or does not read waits. */
const LINES_AT_ONCE = 500
const BYTES_AT_ONCE = 1024 * 1024

/** What reading the next line came to. A promise of it never rejects, so it may be left alone. */
type Reading = { line: Line } | 'ended' | { failure: unknown }

interface InWork<Result> {
  result: Promise<{ result: Result }>
  bytes: number
}

/**
 * The answers to lines, in their order, each as soon as it and all before it are there, however slowly lines come.
 * `submit` is called in the order of the lines; when it rejects, the stream breaks. `tell` makes the text of an answer,
 * when it is the next: of those that wait there are results alone. Once the lines break off nobody is there to answer
 * to: what is in work goes on, and nothing more is answered.
 */
export async function* processLines<Result>(
  lines: AsyncIterator<Line>,
  submit: (line: Line) => Promise<Result>,
  tell: (result: Result) => Promise<string>,
): AsyncGenerator<string> {
  const inWork: InWork<Result>[] = []
  let bytes = 0
  let reading: Promise<Reading> | null = readNext(lines)
  while (reading || inWork.length > 0) {
    const read = inWork.length < LINES_AT_ONCE && bytes < BYTES_AT_ONCE ? reading : null
    const next = inWork[0]?.result
    const first = await Promise.race([...(next ? [next] : []), ...(read ? [read] : [])])
    if (first === 'ended') reading = null
    else if ('failure' in first) throw first.failure
    else if ('line' in first) {
      const size = first.line === TOO_LONG ? 0 : first.line.length
      bytes += size
      // Nobody waits for it any more once the stream has broken.
      const result = withRejectionHandler(submit(first.line).then((result) => ({ result })))
      inWork.push({ result, bytes: size })
      reading = readNext(lines)
    } else {
      bytes -= (inWork.shift() as InWork<Result>).bytes
      yield await tell(first.result)
    }
  }
}

/** A line is asked for while others are in work, and may fail long before it is looked at, or when nobody will. */
const readNext = (lines: AsyncIterator<Line>): Promise<Reading> =>
  lines.next().then(
    ({ done, value }) => (done ? 'ended' : { line: value }),
    (failure: unknown) => ({ failure }),
  )
