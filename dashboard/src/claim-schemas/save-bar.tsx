import { Redo2, Undo2 } from 'lucide-react'
import { type RefObject, useId, useState } from 'react'
import { Button } from '../components/button.tsx'
import { COMMAND_KEY } from '../components/command-key.ts'
import { FormError } from '../components/form-error.tsx'
import { highlightField } from './focus-field.ts'
import type { useSchemaDocument } from './use-schema-document.ts'

interface SaveBarProps {
  isNew: boolean
  edited: ReturnType<typeof useSchemaDocument>
  /** Whether all errors are shown. */
  isChecked: boolean
  form: RefObject<HTMLFieldSetElement | null>
}

/** Save, discard, undo and redo. It appears with the first edit and stays. */
export function SaveBar({ isNew, edited, isChecked, form }: SaveBarProps) {
  const { isChanged, saving, past, future } = edited
  const stateId = useId()
  if (!isNew && !isChanged && !saving.error && past + future === 0) return null
  const discard = () => {
    edited.discard()
    // The button disappears with the changes.
    form.current?.focus({ preventScroll: true })
  }
  const go = (direction: 'undo' | 'redo') => {
    const field = edited.go(direction)
    if (field) highlightField(field)
  }
  const isIdle = !isNew && !isChanged
  return (
    <div
      data-save-bar
      className="sticky bottom-0 z-10 -mx-4 grid gap-2 border-t bg-canvas/95 px-4 py-3 sm:mx-0 sm:rounded-xl sm:border sm:bg-surface/95 xl:col-span-2"
    >
      <FormError error={saving.error} />
      <div className="flex flex-wrap items-center justify-end gap-x-4 gap-y-2">
        <UndoButtons past={past} future={future} go={go} />
        <span id={stateId} role="status" className="me-auto text-[0.8125rem] text-muted">
          {stateOf(edited, isNew, isChecked)}
        </span>
        <span className="flex flex-wrap justify-end gap-2">
          {isChanged ? <Button onClick={discard}>Discard changes</Button> : null}
          <Button
            type="submit"
            variant="primary"
            pending={saving.isPending}
            refusedBy={isIdle ? stateId : undefined}
          >
            {isNew ? 'Create schema' : 'Save changes'}
          </Button>
        </span>
      </div>
    </div>
  )
}

function stateOf(
  { document, reminders, isChanged }: SaveBarProps['edited'],
  isNew: boolean,
  isChecked: boolean,
): string {
  if (isChecked && (document.contract === null || reminders === null)) {
    const ofWhole = document.issues.find(({ path }) => path === 'contract')
    return ofWhole ? `The contract ${ofWhole.message}.` : 'The marked fields are missing or invalid.'
  }
  if (isChanged) return 'Unsaved changes.'
  return isNew ? 'Nothing entered yet.' : 'No unsaved changes.'
}

interface UndoButtonsProps {
  /** Edits that can be undone. */
  past: number
  /** Edits that were undone. */
  future: number
  go: (direction: 'undo' | 'redo') => void
}

/** The focus stays on the button, so that several edits can be undone in a row. */
function UndoButtons({ past, future, go }: UndoButtonsProps) {
  const id = useId()
  const [done, setDone] = useState('')
  const counts = `${past || 'Nothing'} to undo, ${future || 'nothing'} to redo.`
  return (
    <div className="flex items-center gap-1 max-sm:w-full">
      <Button
        size="icon"
        aria-label="Undo"
        title={`Undo (${COMMAND_KEY} Z)`}
        refusedBy={past === 0 ? id : undefined}
        onClick={() => {
          go('undo')
          setDone('Undone.')
        }}
      >
        <Undo2 aria-hidden />
      </Button>
      <Button
        size="icon"
        aria-label="Redo"
        title={`Redo (${COMMAND_KEY} Shift Z)`}
        refusedBy={future === 0 ? id : undefined}
        onClick={() => {
          go('redo')
          setDone('Redone.')
        }}
      >
        <Redo2 aria-hidden />
      </Button>
      <span id={id} className="ms-1 text-xs text-muted">
        {counts}
      </span>
      <span role="status" className="sr-only">
        {done && `${done} ${counts}`}
      </span>
    </div>
  )
}
