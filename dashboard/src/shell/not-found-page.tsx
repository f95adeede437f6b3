import { Link } from '@tanstack/react-router'
import { NotFoundState } from '../components/error-state.tsx'

export function NotFoundPage() {
  return (
    <NotFoundState>
      {' '}
      Go to the{' '}
      <Link to="/" className="underline underline-offset-2">
        overview
      </Link>
      , or press <kbd className="font-mono">?</kbd> for keyboard shortcuts.
    </NotFoundState>
  )
}
