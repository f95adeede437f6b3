import { DateTime } from '../components/time.tsx'
import { shortDuration } from '../format/short-duration.ts'
import type { AnyClaim } from './claims-api.ts'

/** Whether the clock of the claim is stopped (§2.1a). */
export const isPaused = <Claim extends Pick<AnyClaim, 'paused_since'>>(
  claim: Claim,
): claim is Claim & { paused_since: string } => typeof claim.paused_since === 'string'

/** The time that a paused claim has left, such as "5h 20m". */
export const timeLeft = ({ remaining }: Pick<AnyClaim, 'remaining'>): string =>
  shortDuration((remaining ?? 0) * 1000)

/** "Paused since 3 Nov 2026, 10:00, 5h 20m left", in place of a due time. */
export const PausedText = ({ claim }: { claim: AnyClaim & { paused_since: string } }) => (
  <span className="text-pretty">
    Paused since <DateTime at={claim.paused_since} />, <span className="figures">{timeLeft(claim)}</span> left
  </span>
)
