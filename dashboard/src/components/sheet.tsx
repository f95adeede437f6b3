import { Modal, type ModalProps } from './modal.tsx'

/** A panel at the left edge: the navigation on a phone. */
export function Sheet(props: ModalProps) {
  return (
    <Modal
      {...props}
      className="m-0 h-dvh max-h-none w-72 max-w-[85vw] animate-appear overflow-y-auto border-r shadow-2xl"
    />
  )
}
