import { shortDuration } from '../format/short-duration.ts'
import { cn } from './cn.ts'
import { useLocalTime } from './use-local-time.ts'
import { useNow } from './use-now.ts'

interface TimeProps {
  /** ISO 8601. */
  at: string
  className?: string
}

/** A time in the account's time zone. The title has the time in UTC. */
export function DateTime({ at, className }: TimeProps) {
  return (
    <time dateTime={at} title={at} className={className}>
      {useLocalTime().show(at)}
    </time>
  )
}

/** The title of a relative time. */
export function useTimeTitle(): (at: string) => string {
  const { show } = useLocalTime()
  return (at) => `${show(at)} (${at})`
}

interface RelativeProps extends TimeProps {
  /** The time of a test clock, in place of the current time. */
  now?: string | undefined
}

/** A relative time such as "3d 04h ago", updated each second. The title has the absolute time. */
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
  /** Shown before the time left, such as "due in ". */
  prefix?: string
}

/** The time left, then "due now". */
export function Countdown({ at, now, className, prefix = '' }: CountdownProps) {
  const live = useNow()
  const left = Date.parse(at) - (now ? Date.parse(now) : live)
  return (
    <time dateTime={at} title={useTimeTitle()(at)} className={cn('figures whitespace-nowrap', className)}>
      {left > 0 ? `${prefix}${shortDuration(left)}` : 'due now'}
    </time>
  )
}
