import { useEffect } from 'react'
import { IS_MAC } from '../components/command-key.ts'

type Direction = 'undo' | 'redo'

/** Ctrl-Z, and Ctrl-Shift-Z or Ctrl-Y (with Cmd on a Mac), undo and redo edits of the form. This also holds in its text
 * fields, where the browser's own undo could change another field. Text fields outside of data-undo="edits" keep the
 * browser's undo.
 */
export function useUndoKeys(go: (direction: Direction) => void) {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const direction = directionOf(event)
      if (!direction || event.isComposing || document.querySelector('dialog:modal')) return
      if (isTextFieldOfAnother(event.target)) return
      event.preventDefault()
      go(direction)
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [go])
}

function directionOf({ ctrlKey, metaKey, altKey, shiftKey, key, code }: KeyboardEvent): Direction | null {
  const isCommand = IS_MAC ? metaKey && !ctrlKey : ctrlKey && !metaKey
  if (altKey || !isCommand) return null
  // Keyboards of other scripts have the letter at the same position.
  const letter = /^[a-z]$/i.test(key) ? key.toLowerCase() : code.replace('Key', '').toLowerCase()
  if (letter === 'z') return shiftKey ? 'redo' : 'undo'
  return letter === 'y' && !shiftKey && !IS_MAC ? 'redo' : null
}

function isTextFieldOfAnother(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement) || !target.matches('input, textarea')) return false
  return target.closest<HTMLElement>('[data-undo]')?.dataset.undo !== 'edits'
}
