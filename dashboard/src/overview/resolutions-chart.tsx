import { useState } from 'react'
import { Bar, BarChart, CartesianGrid, Rectangle, ResponsiveContainer, Tooltip, XAxis, YAxis } from 'recharts'
import type { Overview } from '../api/records.ts'
import { Button } from '../components/button.tsx'
import { Money } from '../components/money.tsx'
import { Table, Td, Th, Tr } from '../components/table.tsx'
import { showDay, showDayOfYear } from '../format/local-time.ts'

interface ResolutionsChartProps {
  days: Overview['resolutions_by_day']
}

/** Confirmed and failed claims per day as stacked bars, or as a table for screen readers. */
export default function ResolutionsChart({ days }: ResolutionsChartProps) {
  const [asTable, setAsTable] = useState(false)
  const rows = days.map(({ day, confirmed, failed }) => ({
    day,
    Confirmed: confirmed.count,
    Failed: failed.count,
  }))
  const isEmpty = rows.every(({ Confirmed, Failed }) => Confirmed + Failed === 0)
  return (
    <div className="grid gap-2">
      <div className="flex items-center justify-between gap-3">
        <Legend />
        <Button size="sm" variant="ghost" aria-pressed={asTable} onClick={() => setAsTable(!asTable)}>
          {asTable ? 'Show chart' : 'Show table'}
        </Button>
      </div>
      {asTable ? (
        <ResolutionsTable days={days} />
      ) : (
        <figure
          className="relative h-56"
          aria-label="Bar chart of resolutions by day; the button before it shows a table"
        >
          <ResponsiveContainer width="100%" height="100%">
            <BarChart
              data={rows}
              margin={{ top: 4, right: 0, bottom: 0, left: 0 }}
              accessibilityLayer={false}
            >
              <defs>
                <Hatch />
              </defs>
              <CartesianGrid vertical={false} stroke="var(--line)" />
              <XAxis
                dataKey="day"
                tickFormatter={showDayOfYear}
                minTickGap={28}
                tickLine={false}
                axisLine={{ stroke: 'var(--line)' }}
                tick={{ fill: 'var(--muted)', fontSize: 11 }}
              />
              <YAxis
                allowDecimals={false}
                width={36}
                tickLine={false}
                axisLine={false}
                tick={{ fill: 'var(--muted)', fontSize: 11 }}
              />
              <Tooltip content={DayTooltip} cursor={{ fill: 'var(--sunken)' }} isAnimationActive={false} />
              <Bar
                dataKey="Confirmed"
                stackId="day"
                fill="var(--chart-confirmed)"
                isAnimationActive={false}
                maxBarSize={28}
              />
              <Bar
                dataKey="Failed"
                stackId="day"
                fill="url(#failed)"
                isAnimationActive={false}
                maxBarSize={28}
                shape={(props: object) => <Rectangle {...props} radius={[3, 3, 0, 0]} />}
              />
            </BarChart>
          </ResponsiveContainer>
          {isEmpty ? (
            <figcaption className="absolute inset-0 grid place-items-center text-muted">
              <span className="rounded-md bg-surface px-2 py-1">No resolutions in this period.</span>
            </figcaption>
          ) : null}
        </figure>
      )}
    </div>
  )
}

/** Failed bars are hatched, so that they differ without colour. */
const Hatch = ({ id = 'failed' }: { id?: string }) => (
  <pattern id={id} width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
    <rect width="5" height="5" fill="var(--chart-failed)" />
    <rect width="1.5" height="5" fill="var(--surface)" opacity="0.55" />
  </pattern>
)

const Legend = () => (
  <ul className="flex gap-4 text-xs text-muted">
    <li className="flex items-center gap-1.5">
      <span className="size-2.5 rounded-xs bg-(--chart-confirmed)" /> Confirmed
    </li>
    <li className="flex items-center gap-1.5">
      <svg className="size-2.5" aria-hidden="true">
        <defs>
          <Hatch id="failed-legend" />
        </defs>
        <rect width="10" height="10" rx="2" fill="url(#failed-legend)" />
      </svg>{' '}
      Failed
    </li>
  </ul>
)

interface DayTooltipProps {
  active?: boolean
  label?: string | number
  payload?: readonly { name?: unknown; value?: unknown }[]
}

function DayTooltip({ active, label, payload }: DayTooltipProps) {
  if (!active || !payload) return null
  return (
    <div className="rounded-lg border bg-surface px-3 py-2 text-xs shadow-lg">
      <p className="font-medium">{showDay(String(label))}</p>
      {payload.toReversed().map(({ name, value }) => (
        <p key={String(name)} className="figures flex justify-between gap-6 text-muted">
          <span>{String(name)}</span> <span className="text-ink">{String(value)}</span>
        </p>
      ))}
    </div>
  )
}

/** The data of the chart as a table, newest first. */
function ResolutionsTable({ days }: { days: Overview['resolutions_by_day'] }) {
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
