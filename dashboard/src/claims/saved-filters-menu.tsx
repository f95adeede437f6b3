import { Link } from '@tanstack/react-router'
import { Bookmark, Pencil, Plus, Trash2 } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import type { ClaimKind } from '../api/records.ts'
import { Button } from '../components/button.tsx'
import { Dialog, SubmitActions } from '../components/dialog.tsx'
import { Field } from '../components/field.tsx'
import { Form } from '../components/form.tsx'
import { FormError } from '../components/form-error.tsx'
import { Input } from '../components/input.tsx'
import { menuItemClass, PopoverMenu } from '../components/popover-menu.tsx'
import { useToast } from '../components/toast.tsx'
import { NOT_STORED, STORED_IN_BROWSER, useBrowserStorage } from '../components/use-browser-storage.ts'
import { isolate } from '../format/bidi.ts'
import type { ClaimFilters } from './claims-api.ts'
import {
  filtersOf,
  MAX_NAME_LENGTH,
  MAX_SAVED,
  queryOf,
  readSaved,
  type SavedFilters,
  withoutSaved,
  withSaved,
} from './saved-filters.ts'

interface SavedFiltersMenuProps {
  kind: ClaimKind
  /** The current filters. */
  filters: ClaimFilters
  onApply: () => void
}

/** The menu of saved filters. */
export function SavedFiltersMenu({ kind, filters, onApply }: SavedFiltersMenuProps) {
  const { value: saved, change } = useBrowserStorage(`filters of ${kind}`, readSaved)
  const toast = useToast()
  /** The saved filters to rename, or null to save the current filters. */
  const [asked, setAsked] = useState<{ renamed: SavedFilters | null } | null>(null)
  const query = queryOf(filters)
  const shown = saved.find((one) => queryOf(filtersOf(one.query)) === query)
  const keep = (name: string) => {
    const renamed = asked?.renamed
    const others = (all: readonly SavedFilters[]) => (renamed ? withoutSaved(all, renamed.name) : all)
    return change((all) => withSaved(others(all), { name, query: renamed?.query ?? query }))
  }
  const remove = ({ name }: SavedFilters) => {
    const isGone = change((all) => withoutSaved(all, name))
    toast(isGone ? `Saved filters ${isolate(name)} deleted` : NOT_STORED)
  }
  return (
    <>
      <PopoverMenu
        trigger={<Bookmark aria-hidden className={shown && 'fill-current'} />}
        size="icon"
        aria-label={shown ? `Saved filters: ${isolate(shown.name)}` : 'Saved filters'}
        title="Saved filters"
      >
        {(close) => (
          <div className="w-[min(20rem,calc(100vw-2rem))]">
            <ul aria-label="Saved filters" className="max-h-64 overflow-y-auto empty:hidden">
              {saved.map((one) => (
                <li key={one.name} className="flex items-center">
                  <Link
                    to={`/${kind}`}
                    search={filtersOf(one.query)}
                    aria-current={one === shown ? 'true' : undefined}
                    className={`${menuItemClass} min-w-0 flex-1 aria-[current=true]:font-semibold`}
                    onClick={() => {
                      onApply()
                      close()
                    }}
                  >
                    <bdi className="truncate">{one.name}</bdi>
                  </Link>
                  <Button
                    variant="ghost"
                    size="icon"
                    aria-label={`Rename ${isolate(one.name)}`}
                    onClick={() => {
                      close()
                      setAsked({ renamed: one })
                    }}
                  >
                    <Pencil aria-hidden />
                  </Button>
                  <Button
                    variant="ghost"
                    size="icon"
                    aria-label={`Delete ${isolate(one.name)}`}
                    onClick={() => remove(one)}
                  >
                    <Trash2 aria-hidden />
                  </Button>
                </li>
              ))}
            </ul>
            {saved.length === 0 ? <p className="px-2.5 py-1.5 text-muted">No filters saved yet.</p> : null}
            <SaveItem
              isSet={query !== ''}
              isFull={saved.length >= MAX_SAVED}
              onSave={() => {
                close()
                setAsked({ renamed: null })
              }}
            />
            <p className="px-2.5 py-1.5 text-xs text-muted">{STORED_IN_BROWSER}</p>
          </div>
        )}
      </PopoverMenu>
      <SaveFiltersDialog
        open={asked !== null}
        onClose={() => setAsked(null)}
        renamed={asked?.renamed?.name ?? null}
        taken={saved.map(({ name }) => name)}
        onSave={keep}
      />
    </>
  )
}

interface SaveItemProps {
  isSet: boolean
  isFull: boolean
  onSave: () => void
}

function SaveItem({ isSet, isFull, onSave }: SaveItemProps) {
  if (!isSet)
    return <p className="px-2.5 py-1.5 text-xs text-muted">Set filters to save them under a name.</p>
  if (isFull)
    return <p className="px-2.5 py-1.5 text-xs text-muted">{MAX_SAVED} is the maximum. Delete one first.</p>
  return (
    <button type="button" className={menuItemClass} onClick={onSave}>
      <Plus aria-hidden /> Save these filters
    </button>
  )
}

interface SaveFiltersFormProps {
  /** The name to change. Null when new filters are saved. */
  renamed: string | null
  /** Existing names. */
  taken: readonly string[]
  /** @returns whether the browser stored it */
  onSave: (name: string) => boolean
  onClose: () => void
}

/** Asks for the name of saved filters. */
function SaveFiltersDialog({ open, ...form }: SaveFiltersFormProps & { open: boolean }) {
  return (
    <Dialog
      open={open}
      onOpenChange={form.onClose}
      title={form.renamed === null ? 'Save these filters' : 'Rename saved filters'}
      description={`${STORED_IN_BROWSER} To share the filters, share the address of the list.`}
    >
      <SaveFiltersForm {...form} />
    </Dialog>
  )
}

function SaveFiltersForm({ renamed, taken, onSave, onClose }: SaveFiltersFormProps) {
  const [text, setText] = useState(renamed ?? '')
  const [isKept, setKept] = useState(true)
  const name = text.trim()
  const isTaken = name !== renamed && taken.includes(name)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (name === '') return
    const done = onSave(name)
    setKept(done)
    if (done) onClose()
  }
  return (
    <Form onSubmit={submit} className="grid gap-4">
      <Field label="Name" hint={isTaken ? 'Filters with this name exist. They will be replaced.' : undefined}>
        {(props) => (
          <Input
            {...props}
            required
            pattern=".*\S.*"
            maxLength={MAX_NAME_LENGTH}
            placeholder="Due this week"
            value={text}
            onChange={({ target }) => setText(target.value)}
          />
        )}
      </Field>
      <FormError error={isKept ? null : new Error(NOT_STORED)} />
      <SubmitActions action={isTaken ? 'Replace' : renamed === null ? 'Save' : 'Rename'} pending={false} />
    </Form>
  )
}
