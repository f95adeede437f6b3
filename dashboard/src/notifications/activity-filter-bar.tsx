import { useNavigate } from '@tanstack/react-router'
import { X } from 'lucide-react'
import { useState } from 'react'
import { NOTIFICATION_TYPES, type NotificationType } from '../../../src/core/notification-types.ts'
import { Button } from '../components/button.tsx'
import { Select } from '../components/select.tsx'
import { CustomerSelect } from '../customers/customer-select.tsx'
import { NOTIFICATION_WORDS } from './notification-words.ts'
import type { FeedFilters } from './notifications-api.ts'

/** The filters are in the URL, so that the list can be shared. */
export function ActivityFilterBar({ filters }: { filters: FeedFilters }) {
  const navigate = useNavigate()
  const { type, customer } = filters
  const show = ({ type, customer }: FeedFilters) =>
    void navigate({
      to: '/activity',
      search: { ...(type ? { type } : {}), ...(customer ? { customer } : {}) },
    })
  /** Changes the key of the field, which drops its typed text. */
  const [clearings, setClearings] = useState(0)
  return (
    <search className="mb-4 grid grid-cols-2 gap-2 sm:grid-cols-[minmax(0,16rem)_minmax(0,14rem)_auto] sm:justify-start">
      <Select
        aria-label="What happened"
        value={type ?? ''}
        onChange={({ target }) => show({ customer, type: (target.value || undefined) as NotificationType })}
      >
        <option value="">All changes</option>
        {NOTIFICATION_TYPES.map((name) => (
          <option key={name} value={name}>
            {NOTIFICATION_WORDS[name]}
          </option>
        ))}
      </Select>
      <CustomerSelect
        key={clearings}
        aria-label="Customer"
        value={customer ?? ''}
        by="id"
        onChange={(chosen) => show({ type, customer: chosen?.id })}
      />
      <Button
        variant="ghost"
        className={type || customer ? 'max-sm:col-span-2' : 'hidden'}
        onClick={() => {
          setClearings(clearings + 1)
          show({})
        }}
      >
        <X aria-hidden /> Clear
      </Button>
    </search>
  )
}
