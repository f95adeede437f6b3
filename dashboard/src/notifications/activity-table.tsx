import { Link } from '@tanstack/react-router'
import {
  AlarmClock,
  CircleCheck,
  CircleDot,
  CircleOff,
  CirclePlus,
  CircleX,
  FastForward,
  Hourglass,
  Undo2,
} from 'lucide-react'
import type { ReactNode } from 'react'
import { useKnownSchemaNames } from '../claim-schemas/schema-names.ts'
import { LinkByName } from '../claims/claim-link.tsx'
import { cn } from '../components/cn.ts'
import { Money } from '../components/money.tsx'
import { Table, Td, Th, Tr } from '../components/table.tsx'
import { DateTime } from '../components/time.tsx'
import { inPercent } from '../contracts/reminder-percentages.ts'
import { useCustomerNames } from '../customers/customer-names.ts'
import { shortId } from '../format/short-id.ts'
import { OnTestClock } from '../test-clocks/on-test-clock.tsx'
import type { ActivityEntry, Subject } from './activity-entry.ts'
import { typeInWords } from './notification-words.ts'

/** The entries as rows. On a phone, the less important columns move below the others. */
export function ActivityTable({ entries }: { entries: readonly ActivityEntry[] }) {
  const nameOfCustomer = useCustomerNames()
  const customerOf = (subject: Subject | null) =>
    subject?.kind === 'claim'
      ? nameOfCustomer(subject.customer)
      : subject?.kind === 'candidate'
        ? subject.customer
        : null
  const nameOfSchema = useKnownSchemaNames()
  const schemaOf = (subject: Subject | null) =>
    subject && 'schemaId' in subject && subject.schemaId !== null ? nameOfSchema(subject.schemaId) : null
  return (
    <Table aria-label="Activity">
      <thead>
        <tr>
          <Th>What happened</Th>
          <Th className="max-sm:pl-2">Record</Th>
          <Th className="max-md:hidden">Customer</Th>
          <Th className="text-right max-sm:hidden">Price</Th>
          <Th className="max-sm:hidden">When</Th>
        </tr>
      </thead>
      <tbody>
        {entries.map((entry) => {
          const customer = customerOf(entry.subject)
          const schema = schemaOf(entry.subject)
          return (
            <Tr key={entry.id} className="animate-appear">
              <Td className="max-w-64 max-sm:pr-2 sm:max-w-96">
                <What entry={entry} />
                <span className="mt-0.5 block text-xs text-muted sm:hidden">
                  <DateTime at={entry.at} />
                </span>
              </Td>
              <Td className="max-w-40 max-sm:pl-2 sm:max-w-72">
                <SubjectLink subject={entry.subject} />
                {schema ? <bdi className="block truncate text-xs text-muted">{schema}</bdi> : null}
                {customer ? (
                  <bdi className="block text-xs break-words text-muted md:hidden">{customer}</bdi>
                ) : null}
                <span className="block text-xs sm:hidden">
                  <Price subject={entry.subject} />
                </span>
              </Td>
              <Td className="max-w-56 min-w-36 max-md:hidden">
                <bdi>{customer}</bdi>
              </Td>
              <Td className="text-right max-sm:hidden">
                <Price subject={entry.subject} />
              </Td>
              <Td className="text-muted max-sm:hidden xl:min-w-72">
                <DateTime at={entry.at} />
              </Td>
            </Tr>
          )
        })}
      </tbody>
    </Table>
  )
}

const LOOKS = [
  ['.created', CirclePlus, 'text-open'],
  ['.pending', Hourglass, 'text-pending'],
  ['.confirmed', CircleCheck, 'text-confirmed'],
  ['.failed', CircleX, 'text-failed'],
  ['.outcome_changed', Undo2, 'text-failed'],
  ['.due_soon', AlarmClock, 'text-pending'],
  ['.advanced', FastForward, 'text-accent'],
  ['.disabled', CircleOff, 'text-failed'],
] as const

function What({ entry }: { entry: ActivityEntry }) {
  const [, Icon, tone] = LOOKS.find(([end]) => entry.type.endsWith(end)) ?? ['', CircleDot, 'text-muted']
  return (
    <span className="flex items-start gap-2">
      <Icon aria-hidden className={cn('mt-0.5 size-4 shrink-0', tone)} />
      <span className="min-w-0 break-words">
        <span className="font-medium">{typeInWords(entry.type)}</span>
        <Particulars subject={entry.subject} />
      </span>
    </span>
  )
}

/** Details that the type does not show. */
function Particulars({ subject }: { subject: Subject | null }) {
  const text = subject && particularsOf(subject)
  const isSentence = subject && 'reminder' in subject && subject.reminder !== null
  return text ? (
    <span className="text-muted">
      {isSentence ? ': ' : ' '}
      <bdi>{text}</bdi>
    </span>
  ) : null
}

function particularsOf(subject: Subject): ReactNode {
  if (subject.kind === 'test_clock') {
    return (
      <>
        to <DateTime at={subject.frozenTime} />
      </>
    )
  }
  if (subject.kind === 'webhook_endpoint') return subject.reason
  if (subject.event !== null) return subject.event
  if (subject.reminder !== null) return `${inPercent([subject.reminder])} of its activity window is used up`
  return subject.scheduledOutcome ? `to be ${subject.scheduledOutcome}` : null
}

function SubjectLink({ subject }: { subject: Subject | null }) {
  if (!subject) return null
  if (subject.kind === 'test_clock') {
    return (
      <Link
        to="/test-clocks/$id"
        params={{ id: subject.id }}
        className="font-medium break-words underline-offset-4 hover:underline"
      >
        <bdi>{subject.name ?? `Clock ${shortId(subject.id)}`}</bdi>
      </Link>
    )
  }
  if (subject.kind === 'webhook_endpoint') {
    return (
      <Link
        to="/webhooks/$id"
        params={{ id: subject.id }}
        className="font-medium break-words underline-offset-4 hover:underline"
      >
        <bdi>{subject.name}</bdi>
      </Link>
    )
  }
  return (
    <span className="flex flex-wrap items-center gap-x-1.5">
      <span className="min-w-0">
        <LinkByName
          kind={subject.kind === 'claim' ? 'claims' : 'candidates'}
          name={subject.name}
          reference={subject.reference}
        />
      </span>
      {subject.testClockId ? <OnTestClock /> : null}
    </span>
  )
}

const Price = ({ subject }: { subject: Subject | null }) =>
  subject && 'price' in subject && subject.price !== null ? <Money amount={subject.price} /> : null
