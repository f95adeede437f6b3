/* Numbers in the browser's locale. They are read digit by digit, without floating point: a number that is ambiguous, or that
 * JSON would store as another number, is refused.
 */

interface Style {
  /** From 0 to 9. */
  digits: readonly string[]
  decimal: string
  group: string
  /** Formats an integer with groups. */
  groups: (digits: string) => string
}

/** A decimal in JSON notation: -1234.5, or 1e-7. */
type DecimalReading = { decimal: string; problem?: never } | { problem: string; decimal?: never }
type NumberReading = { number: number; problem?: never } | { problem: string; number?: never }

export interface LocalNumbers {
  readDecimal: (text: string) => DecimalReading
  /** The number, if JSON stores all its digits. @param times an integer factor */
  readNumber: (text: string, factor?: number) => NumberReading
  /** Without groups, so that reading it gives the same number. */
  writeDecimal: (decimal: string) => string
  writeNumber: (number: number) => string
  /** Whether the text is a number in this locale or looks like one in another. */
  isNumberLike: (text: string) => boolean
}

const MAX_CHARACTERS = 400

/** @param locale the browser's by default */
export function localNumbers(locale?: string): LocalNumbers {
  const own = styleOf(locale)
  // Keyboards may lack the digits of the locale.
  const styles = [own, styleOf(locale, 'latn')]
  const writeDecimal = (decimal: string) =>
    decimal.replace(/[\d.]/g, (sign) => (sign === '.' ? own.decimal : (own.digits[Number(sign)] as string)))

  const readDecimal = (text: string): DecimalReading => {
    if (text.length > MAX_CHARACTERS) return { problem: `has more than ${MAX_CHARACTERS} characters` }
    const asWritten = plain(text).trim()
    const latin = withLatinDigits(asWritten, own)
    const style = styles.find(({ digits }) => digits.some((digit) => asWritten.includes(digit))) ?? own
    const ambiguous = /^(-?[1-9]\d{0,2})([.,])(\d{3})$/.exec(latin)
    if (ambiguous && ambiguous[2] !== style.decimal) {
      const [, whole = '', , rest = ''] = ambiguous
      const readings = [writeDecimal(whole + rest), writeDecimal(`${whole}.${rest}`)]
      return { problem: `is ambiguous: write ${readings.join(' or ')}` }
    }
    const decimal = decimalIn(asWritten, style)
    if (decimal !== null) return { decimal }
    if (/^-?(?:0|[1-9]\d*)[.,]\d+$/.test(latin)) {
      return { problem: `must be written with “${own.decimal}”: ${writeDecimal(latin.replace(',', '.'))}` }
    }
    return { problem: `must be a number, such as ${own.groups('1234')}${writeDecimal('.5')}` }
  }

  const readNumber = (text: string, factor = 1): NumberReading => {
    const { decimal, problem } = readDecimal(text)
    if (problem !== undefined) return { problem }
    const product = multiply(decimal, factor)
    const number = Number(product)
    if (!Number.isFinite(number)) return { problem: 'is too large' }
    if (multiply(String(number), 1) === product) return { number }
    return { problem: 'has more digits than can be stored' }
  }

  return {
    readDecimal,
    readNumber,
    writeDecimal,
    writeNumber: (number) => writeDecimal(String(number)),
    isNumberLike: (text) =>
      readDecimal(text).problem === undefined ||
      NUMBER_ELSEWHERE.test(withLatinDigits(plain(text).trim(), own)),
  }
}

/** A number in the notation of any locale. */
const NUMBER_ELSEWHERE =
  /^-?(?:(?:0|[1-9]\d*)(?:[.,٫]\d+)?|[1-9]\d{0,2}([.,'٬ ])(?:\d{2,3}\1)*\d{3}(?:[.,٫]\d+)?)(?:[eE][+-]?\d+)?$/

function styleOf(locale: string | undefined, numberingSystem?: string): Style {
  const options = { useGrouping: 'always', ...(numberingSystem && { numberingSystem }) } as const
  const format = new Intl.NumberFormat(locale, options)
  const parts = format.formatToParts(1_234_567.5)
  const sign = (type: string) => plain(parts.find((part) => part.type === type)?.value ?? '')
  const digits = new Intl.NumberFormat(locale, { ...options, useGrouping: false }).format(9_876_543_210)
  return {
    digits: [...digits].toReversed(),
    decimal: sign('decimal'),
    group: sign('group'),
    groups: (whole) => plain(format.format(BigInt(whole))),
  }
}

/** Normalizes lookalike characters and removes invisible ones. */
const plain = (text: string): string =>
  text
    .replace(/[\u200e\u200f\u061c]/g, '')
    .replace(/\s/g, ' ')
    .replace(/’/g, "'")
    .replace(/−/g, '-')

const withLatinDigits = (text: string, { digits }: Style): string =>
  [...text].map((sign) => (digits.includes(sign) ? digits.indexOf(sign) : sign)).join('')

/** Null if the text is no number in this style. */
function decimalIn(text: string, style: Style): string | null {
  const { digits, decimal, group, groups } = style
  const signs = [...text].map((sign) => {
    if (digits.includes(sign)) return digits.indexOf(sign)
    if (sign === decimal) return '.'
    if (sign === group) return '_'
    return /[-+eE]/.test(sign) ? sign : '?'
  })
  const parts = /^(-?)(0|[1-9][\d_]*)(\.\d+)?([eE][+-]?\d{1,4})?$/.exec(signs.join(''))
  if (!parts) return null
  const [, minus, whole = '', fraction = '', exponent = ''] = parts
  const ungrouped = whole.replaceAll('_', '')
  if (whole.includes('_')) {
    // In other locales, 1.234e3 is 1234.
    if (exponent !== '') return null
    const asGrouped = [...groups(ungrouped)].map((sign) => (sign === group ? '_' : digits.indexOf(sign)))
    if (asGrouped.join('') !== whole) return null
  }
  return `${minus}${ungrouped}${fraction}${exponent}`
}

/** The exact product in a normal form that equal numbers share: 125e-2. */
function multiply(decimal: string, factor: number): string {
  const parts = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(decimal)
  const [, minus, whole = '', fraction = '', exponent = '0'] = parts ?? []
  const product = String(BigInt(whole + fraction) * BigInt(factor))
  if (product === '0') return '0e0'
  const significant = product.replace(/0+$/, '')
  return `${minus}${significant}e${Number(exponent) - fraction.length + product.length - significant.length}`
}

export const LOCAL_NUMBERS = localNumbers()
