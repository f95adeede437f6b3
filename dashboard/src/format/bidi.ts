/** Unicode bidirectional control characters. */
const TURNS = /[\u202a-\u202e\u2066-\u2069]/gu

/** Wraps a user's text in bidi isolates, so that it does not reorder the text around it. For places without elements. */
export const isolate = (text: string): string => `\u2068${text.replace(TURNS, '')}\u2069`

/** Escapes bidi control characters in JSON. The value of the JSON does not change. */
export const escapeBidiControls = (json: string): string =>
  json.replace(TURNS, (sign) => `\\u${sign.charCodeAt(0).toString(16)}`)
