/** The exact sum of decimals. Floating point would lose cents. */
export function sumAmounts(amounts: readonly string[]): string {
  const places = Math.max(0, ...amounts.map((amount) => amount.split('.')[1]?.length ?? 0))
  const units = amounts.reduce((sum, amount) => {
    const [whole = '0', fraction = ''] = amount.split('.')
    return sum + BigInt(whole + fraction.padEnd(places, '0'))
  }, 0n)
  const digits = String(units).padStart(places + 1, '0')
  return places === 0 ? digits : `${digits.slice(0, -places)}.${digits.slice(-places)}`
}
