import { shortDuration } from '../../short-duration.ts'
import { useLocalTime } from '../use-local-time.ts'
import { cn } from './cn.ts'
import { useNow } from './use-now.ts'

interface TimeProps {
  /** ISO 8601. */
  at: string
  className?: string
}

/** A point in time in the account's zone, to the second; in UTC as its title. */
export function DateTime({ at, className }: TimeProps) {
  return (
    <time dateTime={at} title={at} className={className}>
      {useLocalTime().show(at)}
    </time>
  )
}

/** The title of what is shown in other words. */
export function useTimeTitle(): (at: string) => string {
  const { show } = useLocalTime()
  return (at) => `${show(at)} (${at})`
}

interface RelativeProps extends TimeProps {
  /** Stands still at this time: that of a test clock. */
  now?: string | undefined
}

/** "3d 04h ago", "in 12m 05s", ticking; the point in time, in the account's zone and in UTC, as its title. */
export function RelativeTime({ at, now, className }: RelativeProps) {
  const live = useNow()
  const difference = Date.parse(at) - (now ? Date.parse(now) : live)
  const words = difference > 0 ? `in ${shortDuration(difference)}` : `${shortDuration(-difference)} ago`
  return (
    <time dateTime={at} title={useTimeTitle()(at)} className={cn('whitespace-nowrap', className)}>
      {Math.abs(difference) < 1500 ? 'just now' : words}
    </time>
  )
}

interface CountdownProps extends RelativeProps {
  /** Before the time left, and left out once it is due: "due in ". */
  prefix?: string
}

/** Time left until it is due; then that the next check decides. */
export function Countdown({ at, now, className, prefix = '' }: CountdownProps) {
  const live = useNow()
  const left = Date.parse(at) - (now ? Date.parse(now) : live)
  return (
    <time dateTime={at} title={useTimeTitle()(at)} className={cn('figures whitespace-nowrap', className)}>
      {left > 0 ? `${prefix}${shortDuration(left)}` : 'due now'}
    </time>
  )
}
