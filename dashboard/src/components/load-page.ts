import { NetworkError } from '../api/client.ts'

/**
 * Loads a page's chunk. If that fails and the service answers, it is tried once more: the service may have just come back.
 * If that fails too, another version of the dashboard was put in place: the router then loads the whole page anew. If the
 * service does not answer, the page says so.
 */
export async function loadPage<Module>(load: () => Promise<Module>): Promise<Module> {
  try {
    return await load()
  } catch (error) {
    if (await isServiceReachable()) return load()
    throw new NetworkError('The service cannot be reached.', { cause: error })
  }
}

export const isServiceReachable = (): Promise<boolean> =>
  fetch('/healthz', { cache: 'no-store' }).then(
    ({ ok }) => ok,
    () => false,
  )
