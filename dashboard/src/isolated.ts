/** Signs that turn the direction of what follows, and their ends. */
const TURNS = /[\u202a-\u202e\u2066-\u2069]/gu

/** A text of a user within another, where there are no elements: it turns nothing around that stands beside it. */
export const isolated = (text: string): string => `\u2068${text.replace(TURNS, '')}\u2069`

/** JSON to be read: signs that would turn its rest around are escaped, so it stays the same JSON. */
export const legibleJson = (json: string): string =>
  json.replace(TURNS, (sign) => `\\u${sign.charCodeAt(0).toString(16)}`)
