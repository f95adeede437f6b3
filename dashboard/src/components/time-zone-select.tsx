import type { ComponentProps } from 'react'
import { TIME_ZONES } from '../format/time-zone-names.ts'
import { Select } from './select.tsx'

/** Mostly continents. */
const REGIONS = [...new Set(TIME_ZONES.map((name) => name.split('/')[0]))]

interface TimeZoneSelectProps extends Omit<ComponentProps<'select'>, 'value' | 'onChange'> {
  value: string
  onChange: (name: string) => void
}

/** A choice among the time zones that this browser knows. */
export function TimeZoneSelect({ value, onChange, ...props }: TimeZoneSelectProps) {
  return (
    <Select {...props} value={value} onChange={({ target }) => onChange(target.value)}>
      <Names names={[...new Set([value, 'UTC'])]} />
      {REGIONS.map((region) => (
        <optgroup key={region} label={region}>
          <Names names={TIME_ZONES.filter((name) => name.startsWith(`${region}/`) && name !== value)} />
        </optgroup>
      ))}
    </Select>
  )
}

const Names = ({ names }: { names: readonly string[] }) =>
  names.map((name) => (
    <option key={name} value={name}>
      {name}
    </option>
  ))
