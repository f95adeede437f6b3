import type { ServerResponse } from 'node:http'
import { CallerDisconnected } from '../responses/error-response.ts'

/**
 * Waits until the connection closes, or the server stops.
 * @param stopSignal aborts when the server stops
 * @param wait must not have begun anything that has to be finished
 * @throws CallerDisconnected; UNAVAILABLE at a stop
 */
export async function whileConnected<Result>(
  response: ServerResponse,
  stopSignal: AbortSignal,
  wait: (ended: AbortSignal) => Promise<Result>,
): Promise<Result> {
  if (response.destroyed) throw new CallerDisconnected()
  stopSignal.throwIfAborted()
  const ended = new AbortController()
  const onClose = () => ended.abort(new CallerDisconnected())
  const onStop = () => ended.abort(stopSignal.reason)
  response.once('close', onClose)
  stopSignal.addEventListener('abort', onStop)
  try {
    return await wait(ended.signal)
  } finally {
    response.off('close', onClose)
    stopSignal.removeEventListener('abort', onStop)
  }
}

/** Resets the connection, so that the client cannot take a part of the response for the whole. */
export function resetConnection({ socket }: ServerResponse): void {
  socket?.resetAndDestroy()
}
