const FORMAT = new Intl.NumberFormat('en', { minimumFractionDigits: 2, maximumFractionDigits: 20 })

/** An amount in major units: a number, or an exact decimal as sums come. */
export const formatMoney = (amount: string | number): string =>
  FORMAT.format(amount as Intl.StringNumericLiteral)
