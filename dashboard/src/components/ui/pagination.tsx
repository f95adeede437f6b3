import { ChevronLeft, ChevronRight } from 'lucide-react'
import { Button } from './button.tsx'

interface PaginationProps {
  /** Of all pages, in words, if it is known. */
  total?: string | undefined
  /** Of the page shown; 1 for the first. */
  page: number
  /** Null if there is none. */
  onPrevious: (() => void) | null
  onNext: (() => void) | null
}

/** To the next and the previous page of a list with cursors. */
export function Pagination({ total, page, onPrevious, onNext }: PaginationProps) {
  if (page === 1 && !onNext) return total ? <p className="border-t px-5 py-3 text-muted">{total}</p> : null
  return (
    <nav
      aria-label="Pages"
      className="flex flex-wrap items-center justify-between gap-x-3 gap-y-2 border-t px-5 py-3"
    >
      <span className="text-muted">
        Page {page.toLocaleString('en')}
        {total ? ` · ${total}` : null}
      </span>
      <span className="flex gap-2">
        <Button size="sm" disabled={!onPrevious} onClick={() => onPrevious?.()}>
          <ChevronLeft aria-hidden /> Previous
        </Button>
        <Button size="sm" disabled={!onNext} onClick={() => onNext?.()}>
          Next <ChevronRight aria-hidden />
        </Button>
      </span>
    </nav>
  )
}
