import { owned } from '../../kernel/owned-promise.ts'

/** Whoever asks while others wait for an answer gets theirs: however many ask, it is read once at a time. */
export function shareReading<T>(read: () => Promise<T>): () => Promise<T> {
  let underWay: Promise<T> | null = null
  return () => {
    underWay ??= owned(
      read().finally(() => {
        underWay = null
      }),
    )
    return underWay
  }
}
