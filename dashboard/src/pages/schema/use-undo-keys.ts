import { useEffect } from 'react'

type Direction = 'undo' | 'redo'

/**
 * Ctrl-Z and Ctrl-Shift-Z (or Ctrl-Y; Cmd on a Mac) go to and fro in the edits of the form, wherever the focus is: in its text fields
 * too, where the browser would undo letters, and of any field of the page. Text fields that are not marked with
 * data-undo="edits" keep what the browser does.
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
  if (altKey || !(ctrlKey || metaKey)) return null
  // On keyboards of other scripts the letter is known by its place.
  const letter = /^[a-z]$/i.test(key) ? key.toLowerCase() : code.replace('Key', '').toLowerCase()
  if (letter === 'z') return shiftKey ? 'redo' : 'undo'
  return letter === 'y' && !shiftKey ? 'redo' : null
}

function isTextFieldOfAnother(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement) || !target.matches('input, textarea')) return false
  return target.closest<HTMLElement>('[data-undo]')?.dataset.undo !== 'edits'
}
