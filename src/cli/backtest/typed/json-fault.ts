/* Why a text is not JSON, for people: the runtime's own words name no place in long texts. */

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const STRING = /"(?:[^"\\\p{Cc}]|[\u007f-\u009f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/uy
const LITERAL = /(?:true|false|null)(?![\p{L}\p{N}_])/uy
const WORD = /[-+]?[\p{L}_$][\p{L}\p{N}_$]*/uy
const BLANKS = /[ \t\n\r]*/y
/** The scanner calls itself for each level. */
const MAX_DEPTH = 500

class JsonFault extends Error {
  readonly at: number

  constructor(at: number, reason: string) {
    super(reason)
    this.at = at
  }
}

/** "column 12: NaN is not a JSON value"; null if the text is JSON. */
export function jsonFaultOf(text: string): string | null {
  const scanner = new Scanner(text)
  try {
    scanner.scanText()
    return null
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error
    return `column ${error.at + 1}: ${error.message}`
  }
}

class Scanner {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  scanText(): void {
    this.#scanValue(0)
    this.#take(BLANKS)
    if (this.#at === this.#text.length) return
    const next = this.#text[this.#at] as string
    if (next === ',' && this.#text.slice(this.#at + 1).trim() === '')
      this.#fail('a comma follows the value; nothing may')
    if (next === ',' || /["{[\d]/.test(next)) this.#fail('a second value follows the first; a line holds one')
    this.#fail(this.#unexpected())
  }

  #scanValue(depth: number): void {
    if (depth > MAX_DEPTH) this.#fail('the values are nested too deep')
    this.#take(BLANKS)
    const first = this.#text[this.#at]
    if (first === '{') this.#scanList('}', () => this.#scanMember(depth))
    else if (first === '[') this.#scanList(']', () => this.#scanValue(depth + 1))
    else if (!this.#take(first === '"' ? STRING : NUMBER) && !this.#take(LITERAL))
      this.#fail(this.#unexpected())
  }

  #scanMember(depth: number): void {
    this.#take(BLANKS)
    if (!this.#take(STRING))
      this.#fail(
        [undefined, '"'].includes(this.#text[this.#at])
          ? this.#unexpected()
          : 'a name in double quotes must stand here',
      )
    this.#take(BLANKS)
    this.#expect(':')
    this.#scanValue(depth + 1)
  }

  #scanList(end: '}' | ']', scanItem: () => void): void {
    this.#at++
    this.#take(BLANKS)
    if (this.#text[this.#at] === end) {
      this.#at++
      return
    }
    for (;;) {
      scanItem()
      this.#take(BLANKS)
      if (this.#text[this.#at] === end) break
      this.#expect(',')
    }
    this.#at++
  }

  #expect(character: string): void {
    if (this.#text[this.#at] !== character) this.#fail(this.#unexpected())
    this.#at++
  }

  #take(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#text)
    if (found) this.#at += found[0].length
    return found !== null
  }

  #unexpected(): string {
    const next = this.#text.codePointAt(this.#at)
    if (next === undefined) return 'the text ends before the value does; a line holds a whole object'
    const character = String.fromCodePoint(next)
    if (character === '"')
      return 'a text begins here that does not end, or holds a line break, a control character or a wrong escape'
    if (character === "'") return 'a text stands in double quotes, not in single ones'
    if (/[\p{Cc}\p{Cf}]/u.test(character))
      return `U+${next.toString(16).toUpperCase().padStart(4, '0')} is a character that JSON does not have here`
    WORD.lastIndex = this.#at
    const word = WORD.exec(this.#text)?.[0]
    return word === undefined ? `"${character}" must not stand here` : `${word} is not a JSON value`
  }

  #fail(reason: string): never {
    throw new JsonFault(this.#at, reason)
  }
}
