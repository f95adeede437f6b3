import { type ComponentProps, useId, useState } from 'react'
import { cn } from '../components/ui/cn.ts'
import { Input } from '../components/ui/input.tsx'
import { useBuilder } from './builder-context.ts'

interface BuilderCellProps extends Omit<ComponentProps<'input'>, 'onChange'> {
  'aria-label': string
  value: string
  error?: string | undefined
  /** Beside the text: what kind of value it is. */
  note?: string
  onChange: (text: string) => void
}

/** A text field of the builder; what is wrong with it is said once it has been left, or all is checked. */
export function BuilderCell({ error, note, className, onChange, ...props }: BuilderCellProps) {
  const { isChecked } = useBuilder()
  const [isLeft, setLeft] = useState(false)
  const id = useId()
  const shown = isChecked || isLeft ? error : undefined
  return (
    <span className={cn('grid min-w-0 gap-1', className)}>
      <span className="relative">
        <Input
          {...props}
          aria-invalid={shown ? true : undefined}
          aria-describedby={shown ? id : undefined}
          className={note ? 'sm:pr-16' : undefined}
          spellCheck={false}
          onBlur={() => setLeft(true)}
          onChange={(event) => onChange(event.target.value)}
        />
        {note ? (
          <span className="pointer-events-none absolute top-2.5 right-2.5 text-xs text-muted max-sm:hidden">
            {note}
          </span>
        ) : null}
      </span>
      {shown ? (
        <span id={id} className="text-xs font-medium text-failed">
          {`${shown[0]?.toUpperCase()}${shown.slice(1)}`}
        </span>
      ) : null}
    </span>
  )
}
