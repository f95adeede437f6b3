import type { ServerResponse } from 'node:http'
import { CallerGone } from '../responses/error-response.ts'

/**
 * Waits for what nobody needs once the caller has gone, or the server stops.
 * @param stops aborts when the server stops: who waits has nothing begun yet
 * @throws CallerGone; UNAVAILABLE at a stop
 */
export async function whileThere<Result>(
  response: ServerResponse,
  stops: AbortSignal,
  wait: (ended: AbortSignal) => Promise<Result>,
): Promise<Result> {
  if (response.destroyed) throw new CallerGone()
  stops.throwIfAborted()
  const ended = new AbortController()
  const leave = () => ended.abort(new CallerGone())
  const stop = () => ended.abort(stops.reason)
  response.once('close', leave)
  stops.addEventListener('abort', stop)
  try {
    return await wait(ended.signal)
  } finally {
    response.off('close', leave)
    stops.removeEventListener('abort', stop)
  }
}

/** Breaks an answer off, so that no part of it is taken for the whole. */
export function breakOff({ socket }: ServerResponse): void {
  socket?.resetAndDestroy()
}
