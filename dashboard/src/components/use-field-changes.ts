import { type FocusEvent, type InputEvent, useRef } from 'react'

type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement

const isControl = (target: EventTarget): target is Control =>
  target instanceof HTMLInputElement ||
  target instanceof HTMLSelectElement ||
  target instanceof HTMLTextAreaElement

const isBox = (control: Control): control is HTMLInputElement =>
  control instanceof HTMLInputElement && (control.type === 'checkbox' || control.type === 'radio')

const entryOf = (control: Control): string => (isBox(control) ? String(control.checked) : control.value)

/** Tracks whether the fields within an element have been changed. */
export function useFieldChanges() {
  /** The values of fields when they first got the focus. */
  const before = useRef(new WeakMap<Control, string>())
  const touched = useRef(new Set<Control>())
  return {
    onFocus: ({ target }: FocusEvent) => {
      if (isControl(target) && !before.current.has(target)) before.current.set(target, entryOf(target))
    },
    onInput: ({ target }: InputEvent) => {
      if (!isControl(target)) return
      touched.current.add(target)
      // Not every browser focuses a checkbox on click.
      if (!before.current.has(target))
        before.current.set(target, isBox(target) ? String(!target.checked) : '')
    },
    areChanged: (): boolean => {
      for (const control of touched.current) if (!control.isConnected) touched.current.delete(control)
      return [...touched.current].some((control) => entryOf(control) !== before.current.get(control))
    },
  }
}
