/* Why a text is not JSON: the message of V8's parser with the place in characters. */

const AFTER_VALUE = /^Unexpected non-whitespace character after JSON at position (\d+)/
const UNEXPECTED = /^Unexpected token '(.+)', (\.{0,3}".*"(?:\.\.\.)?) is not valid JSON$/su
const AT_POSITION = /(?: in JSON)? at position (\d+)(?: \(line \d+ column \d+\))?$/
const VALUE_START = /[[{"\dtfn-]/

/** "unexpected 'N' in ...\"cost\":NaN}" for the error with which `JSON.parse` refused the text. */
export function jsonSyntaxFault(text: string, { message }: Error): string {
  const end = Number(AFTER_VALUE.exec(message)?.[1] ?? Number.NaN)
  if (text[end] === ',') return `a comma follows the value, at character ${end + 1}`
  if (VALUE_START.test(text[end] ?? '')) return `a second value follows the first, at character ${end + 1}`
  return message
    .replace(UNEXPECTED, (_, token: string, context: string) => `unexpected ${shown(token)} in ${context}`)
    .replace(AT_POSITION, (_, position) => `, at character ${Number(position) + 1}`)
    .replace(/^Unexpected end of JSON input$/, 'the text ends too early')
    .replace(/^[A-Z]/, (letter) => letter.toLowerCase())
}

const shown = (token: string): string =>
  /[\p{Cc}\p{Cf}]/u.test(token)
    ? `U+${(token.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, '0')}`
    : `'${token}'`
