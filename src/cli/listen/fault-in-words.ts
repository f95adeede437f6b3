/** Why a request had no answer, to stand within a line. */
export const faultInWords = (error: unknown): string =>
  (error as Error).message
    .trim()
    .replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase())
    .replace(/\.$/, '')
