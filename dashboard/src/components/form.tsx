import { type ComponentProps, useEffect, useReducer, useRef } from 'react'

/** After a submit, moves the focus to the first invalid field. The form or the service may have found the error. */
export function Form({ onSubmit, onInput, ...props }: ComponentProps<'form'>) {
  const ref = useRef<HTMLFormElement>(null)
  // Runs the effect even if nothing else has changed since the last submit.
  const [, lookAgain] = useReducer((count: number) => count + 1, 0)
  /** Submitted without input since. */
  const isAwaited = useRef(false)
  const told = useRef<Element | null>(null)
  useEffect(() => {
    if (!isAwaited.current) return
    const wrong = ref.current?.querySelector('[aria-invalid=true]') ?? null
    if (wrong && wrong !== told.current) focusOn(wrong)
    told.current = wrong
  })
  return (
    <form
      {...props}
      ref={ref}
      onSubmit={(event) => {
        isAwaited.current = true
        told.current = null
        lookAgain()
        onSubmit?.(event)
      }}
      onInput={(event) => {
        isAwaited.current = false
        onInput?.(event)
      }}
    />
  )
}

/** Focuses the first control of a group, and opens a collapsed section. */
function focusOn(wrong: Element): void {
  wrong.closest('details')?.setAttribute('open', '')
  const control =
    wrong instanceof HTMLFieldSetElement ? wrong.querySelector('input, select, textarea') : wrong
  if (control instanceof HTMLElement) control.focus()
}
