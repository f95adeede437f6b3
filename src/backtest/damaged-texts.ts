/* What exports and spreadsheets make of a text. */

type Damage = (text: string) => string

const WINDOWS_1252 = new TextDecoder('windows-1252')
const HTML: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
const NUMBER = /^[+-]?\d+(?:\.\d+)?$/
/** A spreadsheet keeps 15 digits of a number, and shows 6 if it has 12 or more. */
const [KEPT_DIGITS, SHOWN_DIGITS] = [15, 6]

/** How German letters are written in ASCII. */
const GERMAN_LETTERS: Record<string, string> = {
  ä: 'ae',
  ö: 'oe',
  ü: 'ue',
  ß: 'ss',
  Ä: 'Ae',
  Ö: 'Oe',
  Ü: 'Ue',
}

const utf16Escape = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

/** What an export or a spreadsheet may do to a text, with its description in notes. */
const DAMAGES: [how: string, damage: Damage][] = [
  ['UTF-8 that was read as another encoding', (text) => WINDOWS_1252.decode(Buffer.from(text))],
  ['UTF-8 that was read as another encoding', (text) => Buffer.from(text).toString('latin1')],
  ['letters that an encoding lacks', (text) => text.replace(/\P{ASCII}/gu, '?')],
  ['letters that an encoding lacks', (text) => text.replace(/\P{ASCII}/gu, '\ufffd')],
  ['accents of letters', (text) => text.normalize('NFD').replace(/\p{M}/gu, '')],
  [
    'the letters for ä, ö, ü or ß',
    (text) => text.replace(/[äöüßÄÖÜ]/g, (letter) => GERMAN_LETTERS[letter] as string),
  ],
  ['escapes of Excel', (text) => `${text}_x000D_`],
  ['escapes of HTML', (text) => text.replace(/[&<>"']/g, (character) => HTML[character] as string)],
  ['escapes of JSON', (text) => text.replace(/\P{ASCII}/gu, utf16Escapes)],
  ['escapes of backslashes', (text) => text.replaceAll('\\', '\\\\')],
  ['escapes of URLs', encodeURIComponent],
  ['escapes of URLs', (text) => encodeURIComponent(text).replaceAll('%20', '+')],
  ['the way a number is written', (text) => (NUMBER.test(text) ? shortNumber(text) : text)],
  [
    'digits that a spreadsheet has dropped',
    (text) => (NUMBER.test(text) ? withoutDroppedDigits(text) : text),
  ],
  ['digits that a spreadsheet has dropped', (text) => (NUMBER.test(text) ? shownDigits(text) : text)],
]

const utf16Escapes = (character: string) => character.split('').map(utf16Escape).join('')

const shortNumber = (text: string) => (text.length > KEPT_DIGITS ? text : String(Number(text)))

const withoutDroppedDigits = (text: string) =>
  /^\d+$/.test(text) ? text.slice(0, KEPT_DIGITS).padEnd(text.length, '0') : text

function shownDigits(text: string): string {
  if (!/^\d{12,}$/.test(text)) return text
  const [mantissa = '', exponent] = Number(text)
    .toExponential(SHOWN_DIGITS - 1)
    .split('e+')
  return `${mantissa.replace(/\.?0+$/, '')}E+${exponent}`
}

/** The forms of the text after damage, with what was damaged in words. */
export function damagedForms(text: string): Map<string, string> {
  const forms = new Map<string, string>()
  for (const [how, damage] of DAMAGES) {
    const form = damage(text)
    if (form !== text && !forms.has(form)) forms.set(form, how)
  }
  return forms
}

/** A damaged form of a number may be another value: 1.1 and 1.10 may be two versions. */
export const isNumber = (text: string): boolean => NUMBER.test(text)

/**
 * A number in scientific notation that has lost its last digits. Spreadsheets write numbers of more than 11 digits in this way, and
 * Java numbers of more than 16 digits, without the plus sign.
 */
export const SHORTENED_NUMBER = /^\d(?:(?:[.,]\d+)?E\+\d\d+|[.,]\d+E(?:1[6-9]|[2-9]\d))$/i

/** A number with more digits than a spreadsheet keeps (15), and perhaps than a double keeps (17). */
export const LONG_NUMBER = /^\d{16,}$/

/**
 * Whether a long number has probably lost its last digits: they are zeros, as a spreadsheet leaves them, or those of a double. By
 * chance this is true of every tenth number of 16 digits, and of fewer longer ones.
 */
export function isRoundedNumber(text: string): boolean {
  if (/^0*$/.test(text.slice(KEPT_DIGITS))) return true
  return text.length >= 18 && (String(Number(text)) === text || BigInt(Number(text)) === BigInt(text))
}

/** The texts that exports and spreadsheets write for a missing value. The last is the nil UUID. */
export const PLACEHOLDER =
  /^(?:\s*|[-?"”″〃]+|\\N|null|\(null\)|<null>|nil|none|undefined|unknown|\[null\]|\((?:blank|empty|none)\)|nan|nat|<?na>?|#?n\/[abd]|#nv|#(?:name\?|(?:ref|value|num|null|div\/0)!)|0{8}(?:-0{4}){3}-0{12})$/i
