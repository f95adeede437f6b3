import { type ComponentProps, useEffect, useReducer, useRef } from 'react'

/** After a submit, moves the focus to the first invalid field. The form or the service may have found the error. */
export function Form({ onSubmit, onInput, ...props }: ComponentProps<'form'>) {
  const ref = useRef<HTMLFormElement>(null)
  // Runs the effect even if nothing else has changed since the last submit.
  const [, rerender] = useReducer((count: number) => count + 1, 0)
  /** Submitted without input since. */
  const isSubmitted = useRef(false)
  const focused = useRef<Element | null>(null)
  useEffect(() => {
    if (!isSubmitted.current) return
    const invalid = ref.current?.querySelector('[aria-invalid=true]') ?? null
    if (invalid && invalid !== focused.current) focusControl(invalid)
    focused.current = invalid
  })
  return (
    <form
      {...props}
      ref={ref}
      onSubmit={(event) => {
        isSubmitted.current = true
        focused.current = null
        rerender()
        onSubmit?.(event)
      }}
      onInput={(event) => {
        isSubmitted.current = false
        onInput?.(event)
      }}
    />
  )
}

/** Focuses the first control of a group, and opens a collapsed section. */
function focusControl(invalid: Element): void {
  invalid.closest('details')?.setAttribute('open', '')
  const control =
    invalid instanceof HTMLFieldSetElement ? invalid.querySelector('input, select, textarea') : invalid
  if (control instanceof HTMLElement) control.focus()
}
