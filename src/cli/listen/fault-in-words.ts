/** Why a request failed, as a part of a sentence. */
export const faultInWords = (error: unknown): string =>
  (error as Error).message
    .trim()
    .replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase())
    .replace(/\.$/, '')
