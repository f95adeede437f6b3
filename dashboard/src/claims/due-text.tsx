import { Countdown, DateTime, RelativeTime } from '../components/time.tsx'
import type { AnyClaim } from './claims-api.ts'

/** A countdown for a live claim. For a test clock, which stands still, the due time. */
export function DueText({ one }: { one: AnyClaim }) {
  if (!one.due_at) {
    return one.test_clock_id ? <DateTime at={one.status_since} /> : <RelativeTime at={one.status_since} />
  }
  return one.test_clock_id ? (
    <span>
      due <DateTime at={one.due_at} />
    </span>
  ) : (
    <Countdown at={one.due_at} prefix="due in " />
  )
}
