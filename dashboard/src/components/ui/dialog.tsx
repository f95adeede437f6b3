import { cn } from './cn.ts'
import { Modal, type ModalProps } from './modal.tsx'

/** A dialog in the middle; on a phone at the lower edge, where thumbs are. */
export function Dialog({ className, ...props }: ModalProps) {
  return (
    <Modal
      {...props}
      className={cn(
        'm-auto max-h-[calc(100dvh-2rem)] w-[min(34rem,calc(100vw-2rem))] max-w-none animate-appear overflow-y-auto rounded-2xl border shadow-2xl max-sm:mb-4',
        className,
      )}
    />
  )
}

/** The row of buttons at a dialog's end. */
export function DialogActions({ children }: { children: React.ReactNode }) {
  return <div className="mt-6 flex flex-wrap justify-end gap-2">{children}</div>
}
