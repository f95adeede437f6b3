import { Redo2, Undo2 } from 'lucide-react'
import { useId, useState } from 'react'
import { Button } from '../components/button.tsx'
import { COMMAND_KEY } from '../components/command-key.ts'

interface UndoButtonsProps {
  /** Edits that can be undone. */
  past: number
  /** Edits that were undone. */
  future: number
  go: (direction: 'undo' | 'redo') => void
}

/** The focus stays on the button, so that several edits can be undone in a row. */
export function UndoButtons({ past, future, go }: UndoButtonsProps) {
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
