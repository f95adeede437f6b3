import { type Line, TOO_LONG } from './read-lines.ts'

/** Lines of one request that are worked on at once, and their bytes: whoever sends faster is slowed down. */
const LINES_AT_ONCE = 500
const BYTES_AT_ONCE = 4 * 1024 * 1024

interface InWork {
  answer: Promise<string>
  bytes: number
}

/**
 * The answers to lines, in their order, each as soon as it and all before it are there, however slowly lines come.
 * `answer` is called in the order of the lines and must not reject.
 */
export async function* answerLines(
  lines: AsyncIterator<Line>,
  answer: (line: Line) => Promise<string>,
): AsyncGenerator<string> {
  const inWork: InWork[] = []
  let bytes = 0
  let reading: Promise<IteratorResult<Line>> | null = lines.next()
  while (reading || inWork.length > 0) {
    const hasRoom = inWork.length < LINES_AT_ONCE && bytes < BYTES_AT_ONCE
    const read = reading && hasRoom ? reading : null
    const answered = inWork[0]?.answer
    const first = await Promise.race([...(answered ? [answered] : []), ...(read ? [read] : [])])
    if (typeof first === 'string') {
      bytes -= (inWork.shift() as InWork).bytes
      yield first
    } else if (first.done) reading = null
    else {
      const size = first.value === TOO_LONG ? 0 : first.value.length
      bytes += size
      inWork.push({ answer: answer(first.value), bytes: size })
      reading = lines.next()
    }
  }
}
