import type { Page } from 'playwright-core'

/** Loses the next answer to the path: the service has done what was asked for. */
export const loseAnswer = (page: Page, path: string) =>
  page.route(
    path,
    async (route) => {
      await route.fetch()
      await route.abort()
    },
    { times: 1 },
  )
