import { type ComponentProps, useEffect, useReducer, useRef } from 'react'

/** A form that moves the focus to the first field in error once it was submitted, whoever found the error. */
export function Form({ onSubmit, onInput, ...props }: ComponentProps<'form'>) {
  const ref = useRef<HTMLFormElement>(null)
  // Also if nothing else has changed since it was submitted before.
  const [, lookAgain] = useReducer((count: number) => count + 1, 0)
  /** Submitted, and since then nothing was entered. */
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

/** Of a group, its first control; what is folded away is opened. */
function focusOn(wrong: Element): void {
  wrong.closest('details')?.setAttribute('open', '')
  const control =
    wrong instanceof HTMLFieldSetElement ? wrong.querySelector('input, select, textarea') : wrong
  if (control instanceof HTMLElement) control.focus()
}
