import type { Overview } from '../api/records.ts'
import { Money } from '../components/money.tsx'
import { Table, Td, Th, Tr } from '../components/table.tsx'
import { showDay } from '../format/local-time.ts'

/** The data of the chart as a table, newest first. */
export function ResolutionsTable({ days }: { days: Overview['resolutions_by_day'] }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <div className="h-56 overflow-y-auto" tabIndex={0}>
      <Table aria-label="Resolutions by day">
        <thead>
          <tr>
            <Th>Day</Th>
            <Th className="text-right">Confirmed</Th>
            <Th className="text-right max-sm:hidden">Amount</Th>
            <Th className="text-right">Failed</Th>
            <Th className="text-right max-sm:hidden">Amount</Th>
          </tr>
        </thead>
        <tbody>
          {days.toReversed().map(({ day, confirmed, failed }) => (
            <Tr key={day}>
              <Td className="py-1.5">{showDay(day)}</Td>
              <Td className="py-1.5 text-right">{confirmed.count.toLocaleString('en')}</Td>
              <Td className="py-1.5 text-right max-sm:hidden">
                <Money amount={confirmed.amount} />
              </Td>
              <Td className="py-1.5 text-right">{failed.count.toLocaleString('en')}</Td>
              <Td className="py-1.5 text-right max-sm:hidden">
                <Money amount={failed.amount} />
              </Td>
            </Tr>
          ))}
        </tbody>
      </Table>
    </div>
  )
}
