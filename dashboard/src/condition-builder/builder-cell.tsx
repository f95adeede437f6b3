import { type ComponentProps, useId, useState } from 'react'
import { asSentence } from '../as-sentence.ts'
import { cn } from '../components/ui/cn.ts'
import { Input } from '../components/ui/input.tsx'
import { type EditMade, useBuilder } from './builder-context.ts'

interface BuilderCellProps extends Omit<ComponentProps<'input'>, 'onChange'> {
  'aria-label': string
  /** Its name among those of the builder: by it the focus comes, and what is typed in one go is one edit. */
  field: string
  value: string
  error?: string | undefined
  /** Beside the text: what kind of value it is. */
  note?: string | undefined
  onChange: (text: string, made: EditMade) => void
}

/** A text field of the builder; what is wrong with it is said once it has been left, or all is checked. */
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
          onChange={(event) => onChange(event.target.value, { typedIn: field })}
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

/** Once nothing is pressed any more: a button must not move away under the pointer, or its click is lost. */
function whenReleased(act: () => void): void {
  if (!document.querySelector(':active')) act()
  else
    for (const end of ['pointerup', 'pointercancel'])
      addEventListener(end, () => setTimeout(act), { once: true })
}
