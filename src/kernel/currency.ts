const CODES: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'))

/** Whether the code is a current or a historical currency (ISO 4217). */
export const isCurrency = (code: string): boolean => CODES.has(code)

/** Decimals of currencies that do not have 2 (ISO 4217). Intl has the decimals of CLDR, which differ: HUF 0, IQD 0. */
const MINOR_UNITS: Record<number, string> = {
  0: 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF',
  3: 'BHD IQD JOD KWD LYD OMR TND',
  4: 'CLF UYW',
}
/** Precious metals, units of account and codes without a currency: ISO 4217 defines no decimals. */
const WITHOUT_UNITS = 'XAG XAU XBA XBB XBC XBD XDR XPD XPT XSU XTS XUA XXX'

const UNITS = new Map<string, number | null>([
  ...Object.entries(MINOR_UNITS).flatMap(([units, codes]) =>
    codes.split(' ').map((code): [string, number] => [code, Number(units)]),
  ),
  ...WITHOUT_UNITS.split(' ').map((code): [string, null] => [code, null]),
])

/** How many decimals amounts of the currency have (ISO 4217); null if that is not defined. */
export const minorUnitsOf = (code: string): number | null => (UNITS.has(code) ? (UNITS.get(code) ?? null) : 2)

/** How many decimals the number is written with: 2 of 12.25, 7 of 1e-7. */
export function decimalsOf(number: number): number {
  const [digits = '', exponent = '0'] = String(number).split('e')
  const written = digits.split('.')[1]?.length ?? 0
  return Math.max(0, written - Number(exponent))
}
