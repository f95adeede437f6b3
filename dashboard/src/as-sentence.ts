/** What is said of a field, to stand below it. */
export const asSentence = (message: string | undefined): string | undefined =>
  message && `${message[0]?.toUpperCase()}${message.slice(1)}`
