import { validationError } from '../../errors.ts'

const [EARLIEST, LATEST] = [new Date('1970-01-01T00:00:00Z'), new Date('3000-01-01T00:00:00Z')]

/** A time that validation has found to be ISO 8601 with a zone. Digits below a millisecond are dropped. */
export function readTime(text: string, path: string): Date {
  const time = new Date(text)
  if (!(time >= EARLIEST && time < LATEST)) {
    throw validationError([{ path, message: 'must be from 1970 to 2999' }])
  }
  return time
}
