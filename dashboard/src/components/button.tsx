import { cva, type VariantProps } from 'class-variance-authority'
import type { ComponentProps } from 'react'
import { cn } from './cn.ts'

/** Also for links that look like buttons: `<Link className={buttonVariants({ variant: 'secondary' })}>`. */
export const buttonVariants = cva(
  'inline-flex shrink-0 items-center justify-center gap-2 rounded-lg font-medium whitespace-nowrap transition-colors disabled:opacity-55 aria-disabled:opacity-55 [&_svg]:size-4 [&_svg]:shrink-0',
  {
    variants: {
      variant: {
        primary: 'bg-accent text-on-accent hover:bg-accent-strong',
        secondary: 'border border-line bg-surface text-ink shadow-xs hover:bg-sunken',
        ghost: 'text-muted hover:bg-sunken hover:text-ink',
        danger: 'bg-failed text-surface hover:opacity-90',
      },
      size: { sm: 'h-8 px-2.5 text-[0.8125rem]', md: 'h-9 px-3.5', lg: 'h-11 px-5', icon: 'size-9' },
    },
    defaultVariants: { variant: 'secondary', size: 'md' },
  },
)

export interface ButtonProps extends ComponentProps<'button'>, VariantProps<typeof buttonVariants> {
  /** The action is running: the button keeps the focus and ignores clicks. */
  pending?: boolean
  /** The id of the text that explains why the button is disabled. It can have the focus and ignores clicks. */
  refusedBy?: string | undefined
}

export function Button({
  className,
  variant,
  size,
  pending = false,
  refusedBy,
  onClick,
  ...props
}: ButtonProps) {
  const isIdle = pending || refusedBy !== undefined
  return (
    <button
      type="button"
      {...props}
      aria-disabled={isIdle || undefined}
      aria-busy={pending || undefined}
      aria-describedby={refusedBy ?? props['aria-describedby']}
      onClick={isIdle ? (event) => event.preventDefault() : onClick}
      className={cn(buttonVariants({ variant, size }), className)}
    />
  )
}
