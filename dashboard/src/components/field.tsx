import { type ComponentProps, type ReactNode, useId } from 'react'
import { cn } from './cn.ts'

interface ControlProps {
  id: string
  'aria-describedby': string | undefined
  'aria-invalid': true | undefined
}

interface FieldProps {
  label: ReactNode
  hint?: ReactNode
  /** The error of the value. */
  error?: string | undefined
  className?: string
  /** Renders the control with the props that link it to label, hint and error: `{(props) => <Input {...props} />}`. */
  children: (props: ControlProps) => ReactNode
}

/** A control with its label, its hint and its error. */
export function Field({ label, hint, error, className, children }: FieldProps) {
  const id = useId()
  const described = [hint ? `${id}-hint` : '', error ? `${id}-error` : ''].filter(Boolean).join(' ')
  return (
    <div className={cn('grid min-w-0 grid-cols-1 content-start gap-1.5', className)}>
      <Label htmlFor={id}>{label}</Label>
      {children({ id, 'aria-describedby': described || undefined, 'aria-invalid': error ? true : undefined })}
      {hint ? (
        <p id={`${id}-hint`} className="text-xs text-muted">
          {hint}
        </p>
      ) : null}
      {error ? (
        <p id={`${id}-error`} className="text-xs font-medium text-failed wrap-anywhere">
          {error}
        </p>
      ) : null}
    </div>
  )
}

function Label({ className, htmlFor, ...props }: ComponentProps<'label'>) {
  // biome-ignore lint/a11y/noLabelWithoutControl: its control is named by htmlFor
  return <label {...props} htmlFor={htmlFor} className={cn('text-[0.8125rem] font-medium', className)} />
}
