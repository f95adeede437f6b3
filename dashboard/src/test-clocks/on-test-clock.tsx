import { Clock } from 'lucide-react'

export const OnTestClock = () => (
  <Clock aria-label="on a test clock" className="size-3.5 shrink-0 text-muted" />
)
