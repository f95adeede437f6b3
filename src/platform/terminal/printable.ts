/** Characters that move the cursor or change the color, visibility or direction of text, and other invisible characters. */
const INVISIBLE = /[\p{Cc}\p{Cf}\u2028\u2029]/gu

const escapeOf = (character: string) =>
  `\\u${(character.codePointAt(0) as number).toString(16).padStart(4, '0')}`

/** Escapes control characters of untrusted text, such as a name, for one line of a terminal. */
export function printable(text: string): string {
  return text.replace(INVISIBLE, escapeOf)
}

/** The same for text that may have several lines. */
export function printableLines(text: string): string {
  return text.split('\n').map(printable).join('\n')
}

/** The same for JSON: the value stays, the text has no control characters. */
export function printableJson(json: string): string {
  return json.replace(INVISIBLE, (character) => (character === '\n' ? character : jsonEscape(character)))
}

/** JSON escapes characters beyond U+FFFF as two surrogates. */
const jsonEscape = (character: string) => character.split('').map(escapeOf).join('')

/** Escape sequences and invisible characters in JSON. An escaped backslash is matched, so that it does not begin another sequence. */
const ESCAPED_OR_INVISIBLE = /\\\\|\\u[0-9a-f]{4}|\\[bfrt]|[\p{Cc}\p{Cf}\u2028\u2029]/giu

/**
 * Escapes a line of JSON twice, for a program that prints the parsed strings: a printed string then shows its control
 * characters as escapes. Newlines stay.
 */
export function printableAfterParsing(line: string): string {
  const body = line.replace(/\n$/, '')
  const shown = body.replace(ESCAPED_OR_INVISIBLE, (found) => {
    if (found === '\\\\') return found
    return `\\${found.startsWith('\\') ? found : escapeOf(found)}`
  })
  return `${shown}\n`
}
