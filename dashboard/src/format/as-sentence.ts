/** The message with a capital first letter. */
export const asSentence = (message: string | undefined): string | undefined =>
  message && `${message[0]?.toUpperCase()}${message.slice(1)}`
