import { useQuery } from '@tanstack/react-query'
import type { ComponentProps } from 'react'
import { Select } from '../components/select.tsx'
import { isolate } from '../format/bidi.ts'
import { shortId } from '../format/short-id.ts'
import { testClocksQuery } from './test-clocks-api.ts'

interface TestClockSelectProps extends Omit<ComponentProps<'select'>, 'onChange'> {
  /** Empty for none. */
  value: string
  onChange: (id: string) => void
  /** The text for no test clock, such as "Live". */
  none: string
  /** Whether `live` is an option beside none. */
  isLiveOffered?: boolean
}

/** One of the newest hundred test clocks, or none. */
export function TestClockSelect({
  value,
  onChange,
  none,
  isLiveOffered = false,
  ...props
}: TestClockSelectProps) {
  const { data } = useQuery(testClocksQuery())
  const clocks = data?.data ?? []
  const isUnlisted =
    value !== '' && !(isLiveOffered && value === 'live') && !clocks.some(({ id }) => id === value)
  return (
    <Select {...props} value={value} onChange={(event) => onChange(event.target.value)}>
      <option value="">{none}</option>
      {isLiveOffered ? <option value="live">Live only</option> : null}
      {isUnlisted ? <option value={value}>Clock {shortId(value)}</option> : null}
      {clocks.map(({ id, name }) => (
        <option key={id} value={id}>
          Clock {isolate(name ?? shortId(id))}
        </option>
      ))}
    </Select>
  )
}
