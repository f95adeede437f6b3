import { ChevronRight, RotateCcw } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import type { SchemaVersion } from '../api/records.ts'
import { Badge } from '../components/badge.tsx'
import { BidiText } from '../components/bidi-text.tsx'
import { Button } from '../components/button.tsx'
import { cn } from '../components/cn.ts'
import { DateTime } from '../components/time.tsx'
import { useMoney } from '../components/use-money.ts'
import { ContractCard } from '../contracts/contract-card.tsx'
import { isolate } from '../format/bidi.ts'
import { changesBetween, type VersionChange } from './version-changes.ts'

interface VersionItemProps {
  version: SchemaVersion
  /** The previous version, or null if it is not stored. */
  before: SchemaVersion | null
  isPresent: boolean
  /** Named in the URL: the item is open and scrolled into view. */
  isSought: boolean
  /** The name of the signed-in account. */
  person: string
  onTake: () => void
}

/** A version and its changes, with the whole contract as expandable details. */
export function VersionItem({ version, before, isPresent, isSought, person, onTake }: VersionItemProps) {
  const money = useMoney()
  const item = useRef<HTMLLIElement>(null)
  const [isOpen, setOpen] = useState(isSought)
  useEffect(() => {
    if (!isSought) return
    setOpen(true)
    item.current?.scrollIntoView({ block: 'center' })
  }, [isSought])
  const number = version.version.toLocaleString('en')
  return (
    <li ref={item} aria-label={`Version ${number}`}>
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
        className="flex w-full items-start gap-3 px-5 pt-3 pb-1.5 text-left hover:bg-sunken/60"
      >
        <ChevronRight
          aria-hidden
          className={cn('mt-0.5 size-4 shrink-0 text-muted', isOpen && 'rotate-90')}
        />
        <span className="flex min-w-0 flex-1 flex-wrap items-center gap-x-3 gap-y-0.5">
          <span className="font-medium">Version {number}</span>
          {isPresent ? <Badge tone="accent">current</Badge> : null}
          <span className="min-w-0 text-[0.8125rem] break-words text-muted max-sm:w-full sm:ml-auto">
            <DateTime at={version.created_at} /> <Actor version={version} person={person} />
          </span>
        </span>
      </button>
      <div className="pr-5 pb-3 pl-12">
        {before ? (
          <Changes changes={changesBetween(before, version, money)} />
        ) : (
          <p className="text-muted">{version.version === 1 ? 'First version.' : 'Oldest stored version.'}</p>
        )}
      </div>
      {isOpen ? <Whole version={version} isPresent={isPresent} onTake={onTake} /> : null}
    </li>
  )
}

function Whole({ version, isPresent, onTake }: Pick<VersionItemProps, 'version' | 'isPresent' | 'onTake'>) {
  return (
    <div className="grid gap-4 border-t bg-canvas px-5 py-4">
      <Names version={version} />
      <ContractCard contract={version.contract} />
      {isPresent ? null : (
        <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
          <Button onClick={onTake}>
            <RotateCcw aria-hidden /> Restore this contract
          </Button>
          <span className="text-[0.8125rem] text-muted">
            It replaces the contract in the form. Save to apply it.
          </span>
        </div>
      )}
    </div>
  )
}

function Actor({ version: { made_by }, person }: { version: SchemaVersion; person: string }) {
  if (made_by === null) return <span>author unknown</span>
  if (made_by.kind === 'session')
    return (
      <span>
        by <bdi>{person}</bdi>
      </span>
    )
  return (
    <span>
      by token <bdi>{made_by.token_name}</bdi>
    </span>
  )
}

function Names({ version: { name, description } }: { version: SchemaVersion }) {
  return (
    <div className="min-w-0 break-words">
      <p className="font-medium">{name === null ? 'No name' : <bdi>{name}</bdi>}</p>
      {description === null ? null : (
        <p className="whitespace-pre-line text-muted">
          <bdi>{description}</bdi>
        </p>
      )}
    </div>
  )
}

function Changes({ changes }: { changes: readonly VersionChange[] }) {
  return (
    <dl className="grid gap-x-4 gap-y-1 sm:grid-cols-[minmax(0,11rem)_minmax(0,1fr)]">
      {changes.map(({ field, before, after }) => (
        <div key={field} className="contents">
          <dt className="text-muted">{field}</dt>
          <dd className="min-w-0 break-words max-sm:mb-1">
            <del className={isLong({ before, after }) ? 'block text-muted no-underline' : 'text-muted'}>
              <Side text={before} field={field} />
            </del>{' '}
            <span aria-hidden>→</span>{' '}
            <ins className="no-underline">
              <Side text={after} field={field} />
            </ins>
          </dd>
        </div>
      ))}
    </dl>
  )
}

/** Long texts get a line of their own and are not struck through. */
const isLong = ({ before, after }: Pick<VersionChange, 'before' | 'after'>) =>
  before.length + after.length > 60

/** Name and description are user texts. Other fields are sentences that may contain user texts. */
const Side = ({ text, field }: { text: string; field: string }) =>
  field === 'Name' || field === 'Description' ? (
    <span className="whitespace-pre-line">{isolate(text)}</span>
  ) : (
    <BidiText text={text} />
  )
