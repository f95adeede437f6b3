import { CloudOff, LoaderCircle, Pause, Radio } from 'lucide-react'
import type { Liveness as State } from './activity-feed.ts'

const LOOKS = {
  connecting: [LoaderCircle, 'text-muted', 'Connecting'],
  live: [Radio, 'text-confirmed', 'Live'],
  paused: [Pause, 'text-muted', 'Paused'],
  lost: [CloudOff, 'text-pending', 'Connection lost'],
} as const

/** Shows by icon and text whether the list is up to date. */
export function Liveness({ state }: { state: State }) {
  const [Icon, tone, words] = LOOKS[state]
  return (
    <span role="status" className={`inline-flex items-center gap-1.5 px-1 font-medium ${tone}`}>
      <Icon aria-hidden className="size-4" />
      {words}
    </span>
  )
}
