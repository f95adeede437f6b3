import { ChevronLeft, ChevronRight } from 'lucide-react'
import { Button } from './button.tsx'

interface PaginationProps {
  /** The number of records on all pages, as text. */
  total?: string | undefined
  /** The number of the page, starting at 1. */
  page: number
  /** Null if there is no such page. */
  onPrevious: (() => void) | null
  onNext: (() => void) | null
}

/** Previous and next page of a list with cursors. */
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
