import { NetworkError } from './api/client.ts'

/**
 * Loads a page's chunk. If that fails and the service answers, another version of the dashboard was put in place: the
 * router then loads the whole page anew. If it does not answer, the page says so.
 */
export async function loadPage<Module>(load: () => Promise<Module>): Promise<Module> {
  try {
    return await load()
  } catch (error) {
    const isReachable = await fetch('/healthz').then(
      ({ ok }) => ok,
      () => false,
    )
    throw isReachable ? error : new NetworkError('The service cannot be reached.', { cause: error })
  }
}
