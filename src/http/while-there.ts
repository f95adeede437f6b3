import type { ServerResponse } from 'node:http'
import { CallerGone } from './error-response.ts'

/** Waits for what nobody needs once the caller has gone. @throws CallerGone */
export async function whileThere<Result>(
  response: ServerResponse,
  wait: (gone: AbortSignal) => Promise<Result>,
): Promise<Result> {
  if (response.destroyed) throw new CallerGone()
  const gone = new AbortController()
  const leave = () => gone.abort(new CallerGone())
  response.once('close', leave)
  try {
    return await wait(gone.signal)
  } finally {
    response.off('close', leave)
  }
}

/** Breaks an answer off, so that no part of it is taken for the whole. */
export function breakOff({ socket }: ServerResponse): void {
  socket?.resetAndDestroy()
}
