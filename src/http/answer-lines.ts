import { owned } from '../owned-promise.ts'
import { type Line, TOO_LONG } from './read-lines.ts'

/**
 * Lines of one request that are worked on at once, and the bytes of them and of their answers: whoever sends faster, or
 * does not read, is slowed down.
 */
const LINES_AT_ONCE = 500
const BYTES_AT_ONCE = 1024 * 1024

/** What reading the next line came to. A promise of it never rejects, so it may be left alone. */
type Reading = { line: Line } | 'ended' | { failure: unknown }

interface InWork {
  answer: Promise<string>
  bytes: number
}

/**
 * The answers to lines, in their order, each as soon as it and all before it are there, however slowly lines come.
 * `answer` is called in the order of the lines; when it rejects, the stream breaks. Once the lines break off nobody is
 * there to answer to: what is in work goes on, and nothing more is answered.
 */
export async function* answerLines(
  lines: AsyncIterator<Line>,
  answer: (line: Line) => Promise<string>,
): AsyncGenerator<string> {
  const inWork: InWork[] = []
  let bytes = 0
  /** Of the answers so far; those in work are taken to be as large. */
  let largestAnswer = 0
  let reading: Promise<Reading> | null = readNext(lines)
  while (reading || inWork.length > 0) {
    const hasRoom = inWork.length < LINES_AT_ONCE && bytes + inWork.length * largestAnswer < BYTES_AT_ONCE
    const read = reading && hasRoom ? reading : null
    const answered = inWork[0]?.answer
    const first = await Promise.race([...(answered ? [answered] : []), ...(read ? [read] : [])])
    if (typeof first === 'object') {
      if ('failure' in first) throw first.failure
      const size = first.line === TOO_LONG ? 0 : first.line.length
      bytes += size
      // Nobody waits for it any more once the stream has broken.
      const answered = owned(answer(first.line))
      inWork.push({ answer: answered, bytes: size })
      reading = readNext(lines)
    } else if (first === 'ended') reading = null
    else {
      bytes -= (inWork.shift() as InWork).bytes
      largestAnswer = Math.max(largestAnswer, first.length)
      yield first
    }
  }
}

/** A line is asked for while others are in work, and may fail long before it is looked at, or when nobody will. */
const readNext = (lines: AsyncIterator<Line>): Promise<Reading> =>
  lines.next().then(
    ({ done, value }) => (done ? 'ended' : { line: value }),
    (failure: unknown) => ({ failure }),
  )
