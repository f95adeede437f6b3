type Format = (amount: string | number) => string

/**
 * How amounts in major units are shown: numbers, or exact decimals as sums come.
 * @param currency its code (ISO 4217); null for none
 * @param locale of the reader; by default the one of the machine
 */
export function moneyFormat(currency: string | null, locale?: string): Format {
  const style = currency === null ? { minimumFractionDigits: 2 } : ({ style: 'currency', currency } as const)
  const format = new Intl.NumberFormat(locale, { ...style, maximumFractionDigits: 20 })
  return (amount) => format.format(amount as Intl.StringNumericLiteral)
}

/** Without a currency, in English. */
export const formatMoney: Format = moneyFormat(null, 'en')
