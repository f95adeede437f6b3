/** What moves the cursor, colours, hides or turns round the text after it; of the marks, those that nobody sees. */
const UNSEEN = /[\p{Cc}\p{Cf}\u2028\u2029]/gu

const escapeOf = (character: string) =>
  `\\u${(character.codePointAt(0) as number).toString(16).padStart(4, '0')}`

/** Text that others wrote, such as a name, for a terminal: control characters would write on it. One line. */
export function printable(text: string): string {
  return text.replace(UNSEEN, escapeOf)
}

/** The same for text that may have several lines. */
export function printableLines(text: string): string {
  return text.split('\n').map(printable).join('\n')
}

/** JSON for a terminal or a program: the same value, without a control character. */
export function printableJson(json: string): string {
  return json.replace(UNSEEN, (character) => (character === '\n' ? character : jsonEscape(character)))
}

/** By its halves, if JSON has no other way. */
const jsonEscape = (character: string) => character.split('').map(escapeOf).join('')

/** What JSON itself has escaped, or not: an escaped backslash is matched so that nothing after it is taken for one. */
const IN_A_STRING = /\\\\|\\u[0-9a-f]{4}|\\[bfrt]|[\p{Cc}\p{Cf}\u2028\u2029]/giu

/** A line of JSON of which a program will print the strings as they are: these then show escapes, but for line ends. */
export function printableOnceParsed(line: string): string {
  const body = line.replace(/\n$/, '')
  const shown = body.replace(IN_A_STRING, (found) => {
    if (found === '\\\\') return found
    return `\\${found.startsWith('\\') ? found : escapeOf(found)}`
  })
  return `${shown}\n`
}
