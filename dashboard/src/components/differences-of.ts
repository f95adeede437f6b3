/** The text of each field of a record, by label. */
export type Texts<Values> = Record<string, (values: Values) => string>

export interface Difference {
  label: string
  one: string
  other: string
}

/** The fields in which two states differ. */
export const differencesOf = <Values>(texts: Texts<Values>, one: Values, other: Values): Difference[] =>
  Object.entries(texts)
    .map(([label, textOf]) => ({ label, one: textOf(one), other: textOf(other) }))
    .filter((field) => field.one !== field.other)
