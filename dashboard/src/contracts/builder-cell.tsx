import { type ComponentProps, useId, useState } from 'react'
import { cn } from '../components/cn.ts'
import { Input } from '../components/input.tsx'
import { asSentence } from '../format/as-sentence.ts'
import { type EditMade, useBuilder } from './builder-context.ts'

interface BuilderCellProps extends Omit<ComponentProps<'input'>, 'onChange'> {
  'aria-label': string
  /** The name of the field within the builder, for focus and for grouping typed text into one edit. */
  field: string
  value: string
  error?: string | undefined
  /** The kind of the value, shown beside the text. */
  note?: string | undefined
  onChange: (text: string, made: EditMade) => void
}

/** A text field of the builder. Its error is shown after blur, or when everything is checked. */
export function BuilderCell({ field, error, note, className, onChange, ...props }: BuilderCellProps) {
  const { isChecked } = useBuilder()
  const [isLeft, setLeft] = useState(false)
  const id = useId()
  const shown = isChecked || isLeft ? error : undefined
  return (
    <span className={cn('grid min-w-0 gap-1', className)}>
      <span className="relative">
        <Input
          {...props}
          data-focus={field}
          aria-invalid={shown ? true : undefined}
          aria-describedby={shown ? id : undefined}
          className={note ? 'sm:pr-16' : undefined}
          spellCheck={false}
          onBlur={() => whenReleased(() => setLeft(true))}
          onChange={(event) => onChange(event.target.value, { typedField: field })}
        />
        {note ? (
          <span className="pointer-events-none absolute top-2.5 right-2.5 text-xs text-muted max-sm:hidden">
            {note}
          </span>
        ) : null}
      </span>
      {shown ? (
        <span id={id} className="text-xs font-medium text-failed">
          {asSentence(shown)}
        </span>
      ) : null}
    </span>
  )
}

/** Waits until nothing is pressed: a button that moves under the pointer would lose its click. */
function whenReleased(act: () => void): void {
  if (!document.querySelector(':active')) act()
  else
    for (const end of ['pointerup', 'pointercancel'])
      addEventListener(end, () => setTimeout(act), { once: true })
}
