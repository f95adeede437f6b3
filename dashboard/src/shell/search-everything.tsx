import { useNavigate } from '@tanstack/react-router'
import { Search } from 'lucide-react'
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import { MAX_NAME_LENGTH } from '../../../src/core/limits.ts'
import { Button } from '../components/button.tsx'
import { cn } from '../components/cn.ts'
import { COMMAND_KEY } from '../components/command-key.ts'
import { Input } from '../components/input.tsx'
import { Kbd } from '../components/kbd.tsx'
import { Modal } from '../components/modal.tsx'
import { useDebounced } from '../components/use-debounced.ts'
import { isolate } from '../format/bidi.ts'
import { type Found, useFound } from './use-found.ts'

/** The event that opens the search. */
const OPEN = 'claimkeeper:search'

const openSearch = () => dispatchEvent(new Event(OPEN))

/** Opened by Ctrl-K or ⌘K: searches all records that have a name or an id. */
export function SearchEverything() {
  const [isOpen, setOpen] = useState(false)
  useEffect(() => {
    const open = () => setOpen(true)
    const onKey = (event: globalThis.KeyboardEvent) => {
      if (
        event.key.toLowerCase() !== 'k' ||
        !(event.ctrlKey || event.metaKey) ||
        event.altKey ||
        event.shiftKey
      )
        return
      event.preventDefault()
      if (!document.querySelector('dialog:modal')) open()
    }
    addEventListener(OPEN, open)
    addEventListener('keydown', onKey)
    return () => {
      removeEventListener(OPEN, open)
      removeEventListener('keydown', onKey)
    }
  }, [])
  return (
    <Modal open={isOpen} onOpenChange={setOpen} title="Search everything" className={POSITION}>
      <SearchBox onDone={() => setOpen(false)} />
    </Modal>
  )
}

const POSITION =
  'mx-auto mt-[min(10dvh,6rem)] mb-auto max-h-[80dvh] w-[min(38rem,calc(100vw-2rem))] max-w-none animate-appear overflow-y-auto rounded-2xl border shadow-2xl'

/** In the side bar. */
export const SearchButton = () => (
  <button
    type="button"
    aria-keyshortcuts="Control+K Meta+K"
    onClick={openSearch}
    className="flex h-9 items-center gap-2.5 rounded-lg border px-2.5 text-muted hover:border-line-strong hover:text-ink"
  >
    <Search aria-hidden className="size-4" /> Search
    <span aria-hidden className="ml-auto flex gap-1">
      <Kbd>{COMMAND_KEY}</Kbd>
      <Kbd>K</Kbd>
    </span>
  </button>
)

/** In the top bar on small screens. */
export const SearchIcon = () => (
  <Button variant="ghost" size="icon" aria-label="Search" onClick={openSearch}>
    <Search aria-hidden />
  </Button>
)

/** After the last key. */
const DELAY_MS = 200

function SearchBox({ onDone }: { onDone: () => void }) {
  const [text, setText] = useState('')
  const asked = useDebounced(text.trim(), DELAY_MS)
  const { found, isSearching, isPartial } = useFound(asked)
  // Kept by URL, because more results may arrive before it.
  const [chosen, setChosen] = useState<string | null>(null)
  const at = Math.max(
    found.findIndex(({ href }) => href === chosen),
    0,
  )
  const navigate = useNavigate()
  const id = useId()
  const isSettled = asked === text.trim() && !isSearching
  // Enter may be pressed before the response arrives.
  const [isEntered, setEntered] = useState(false)
  const go = (one: Found) => {
    onDone()
    void navigate({ to: one.href })
  }
  const first = found[at]
  const goNow = useRef(go)
  goNow.current = go
  useEffect(() => {
    if (!isEntered || !isSettled) return
    setEntered(false)
    if (first) goNow.current(first)
  }, [isEntered, isSettled, first])

  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step) setChosen(found.at((at + step) % Math.max(found.length, 1))?.href ?? null)
    else if (event.key === 'Enter' && !event.nativeEvent.isComposing) setEntered(true)
    else return
    event.preventDefault()
  }
  return (
    <div className="grid gap-3">
      <Input
        enterKeyHint="search"
        role="combobox"
        aria-label="Search everything"
        aria-expanded={found.length > 0}
        aria-controls={`${id}-found`}
        aria-activedescendant={first ? `${id}-${at}` : undefined}
        placeholder="Reference, alias, id, customer, schema, page"
        maxLength={MAX_NAME_LENGTH}
        value={text}
        onChange={({ target }) => {
          setText(target.value)
          setChosen(null)
          setEntered(false)
        }}
        onKeyDown={onKeyDown}
      />
      <div id={`${id}-found`} role="listbox" aria-label="Found" className="-mx-2 grid gap-0.5 empty:hidden">
        {found.map((one, i) => (
          <button
            type="button"
            tabIndex={-1}
            key={`${one.kind} ${one.href}`}
            id={`${id}-${i}`}
            role="option"
            aria-selected={i === at}
            ref={i === at ? (row) => row?.scrollIntoView({ block: 'nearest' }) : undefined}
            className={cn(
              'flex items-baseline gap-3 rounded-lg px-2 py-1.5 text-left hover:bg-sunken',
              i === at && 'bg-accent-soft',
            )}
            onClick={() => go(one)}
          >
            <span className="w-20 shrink-0 text-xs text-muted">{one.kind}</span>
            <bdi className="min-w-0 font-medium wrap-anywhere">{one.name}</bdi>
            <bdi className="ml-auto min-w-0 truncate text-xs text-muted">{one.note}</bdi>
          </button>
        ))}
      </div>
      <p role="status" className="text-xs text-muted empty:hidden">
        {statusText(asked, found.length, isSettled, isPartial)}
      </p>
    </div>
  )
}

function statusText(asked: string, count: number, isSettled: boolean, isPartial: boolean): string {
  if (asked === '')
    return 'Finds claims by reference or id, candidates and customers by the start of their name, and schemas, test clocks and pages by name.'
  if (!isSettled) return count > 0 ? '' : 'Searching…'
  if (isPartial) return 'Part of the search failed. Results may be missing.'
  return count > 0 ? '' : `Nothing found for ${isolate(asked)}.`
}
