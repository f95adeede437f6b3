import type { Page } from 'playwright-core'

/** Drops the next response of the path. The service has carried out the request. */
export const loseAnswer = (page: Page, path: string) =>
  page.route(
    path,
    async (route) => {
      await route.fetch()
      await route.abort()
    },
    { times: 1 },
  )
