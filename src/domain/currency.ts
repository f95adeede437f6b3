const CODES: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'))

/** Whether it is the code of a currency, of the present or the past (ISO 4217). */
export const isCurrency = (code: string): boolean => CODES.has(code)
