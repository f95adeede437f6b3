import type { ReactNode } from 'react'
import { Table, Td, Th, Tr } from './table.tsx'

/** The text of each field of a record, by label. */
export type Texts<Values> = Record<string, (values: Values) => string>

export interface Difference {
  label: string
  one: string
  other: string
}

/** The fields in which two states differ. */
export function differencesOf<Values>(texts: Texts<Values>, one: Values, other: Values): Difference[] {
  return Object.entries(texts)
    .map(([label, textOf]) => ({ label, one: textOf(one), other: textOf(other) }))
    .filter((field) => field.one !== field.other)
}

interface DifferencesProps {
  /** The column titles. */
  sides: readonly [string, string]
  differences: readonly Difference[]
}

/** The fields in which two states of a record differ. */
export const Differences = ({ sides, differences }: DifferencesProps) => (
  <Table aria-label="Differences">
    <thead>
      <tr>
        <Th>Field</Th>
        {sides.map((side) => (
          <Th key={side} className="w-2/5">
            {side}
          </Th>
        ))}
      </tr>
    </thead>
    <tbody>
      {differences.map(({ label, one, other }) => (
        <Tr key={label}>
          <th scope="row" className="py-2.5 pr-4 pl-5 align-top font-medium">
            {label}
          </th>
          <Side>{one}</Side>
          <Side>{other}</Side>
        </Tr>
      ))}
    </tbody>
  </Table>
)

/** Scrolls, because a condition may be long. */
const Side = ({ children }: { children: ReactNode }) => (
  <Td className="align-top">
    <pre
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
      tabIndex={0}
      className="max-h-64 overflow-auto font-mono text-xs leading-5 break-words whitespace-pre-wrap"
    >
      {children}
    </pre>
  </Td>
)
