import type { AnyClaim } from '../api/claims.ts'
import { Countdown, DateTime, RelativeTime } from './ui/time.tsx'

/** When it is due: a countdown for a live one; on a test clock, which stands still, the time itself. */
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
