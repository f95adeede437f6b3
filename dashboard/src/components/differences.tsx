import type { ReactNode } from 'react'
import type { Difference } from '../differences-of.ts'
import { Table, Td, Th, Tr } from './ui/table.tsx'

interface DifferencesProps {
  /** What the two sides are. */
  sides: readonly [string, string]
  differences: readonly Difference[]
}

/** Two states of a record where they differ, side by side. */
export const Differences = ({ sides, differences }: DifferencesProps) => (
  <Table aria-label="What differs">
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

/** A condition may be long: it scrolls in its place. */
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
