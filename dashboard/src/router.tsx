import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router'
import { NOTIFICATION_TYPES, type NotificationType } from '../../src/core/notification-types.ts'
import { DELIVERY_STATUSES, type DeliveryStatus } from '../../src/core/webhooks.ts'
import { accountQuery } from './api/account.ts'
import { ApiError } from './api/client.ts'
import { isGiven } from './api/metadata-filters.ts'
import { queryClient, session } from './api/query-client.ts'
import { readClaimFilters } from './claims/claim-filters.ts'
import { NotFoundState } from './components/error-state.tsx'
import { loadPage } from './components/load-page.ts'
import { PageError } from './components/page-error.tsx'
import { readCustomerSearch } from './customers/customer-filters.ts'
import type { FeedFilters } from './notifications/notifications-api.ts'
import { Shell } from './shell/shell.tsx'

const rootRoute = createRootRoute({ component: Outlet })

/** Everything that needs a signed-in account. */
const shellRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'shell',
  component: Shell,
  beforeLoad: async ({ location }) => {
    try {
      await queryClient.ensureQueryData(accountQuery)
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 401)) throw error
      throw redirect({ to: '/sign-in', search: location.href === '/' ? {} : { next: location.href } })
    }
  },
})

/** The query parameters as text: the router's own parser would read `1e9` as a number. */
type RawSearch = Record<string, string>

const parseSearch = (query: string): RawSearch => Object.fromEntries(new URLSearchParams(query))

function stringifySearch(search: Record<string, unknown>): string {
  const given = Object.entries(search).filter(isGiven)
  const query = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString()
  return query ? `?${query}` : ''
}

const page = <const Path extends string, Module extends Record<string, unknown>>(
  path: Path,
  load: () => Promise<Module>,
  name: keyof Module & string,
) =>
  ({
    getParentRoute: () => shellRoute,
    path,
    component: lazyRouteComponent(() => loadPage(load) as Promise<Record<string, never>>, name),
  }) as const

const isNotificationType = (text: string | undefined): text is NotificationType =>
  NOTIFICATION_TYPES.some((type) => type === text)

const isDeliveryStatus = (text: string | undefined): text is DeliveryStatus =>
  DELIVERY_STATUSES.some((status) => status === text)

const overviewRoute = createRoute({
  ...page('/', () => import('./overview/overview-page.tsx'), 'OverviewPage'),
  validateSearch: (search: RawSearch): { days?: 7 | 30 | 90; clock?: string } => ({
    ...(search.days === '7' ? { days: 7 } : search.days === '90' ? { days: 90 } : {}),
    ...(search.clock ? { clock: search.clock } : {}),
  }),
})
const activityRoute = createRoute({
  ...page('/activity', () => import('./notifications/activity-page.tsx'), 'ActivityPage'),
  validateSearch: ({ type, customer }: RawSearch): FeedFilters => ({
    ...(isNotificationType(type) ? { type } : {}),
    ...(customer ? { customer } : {}),
  }),
})
const claimsRoute = createRoute({
  ...page('/claims', () => import('./claims/claims-page.tsx'), 'ClaimsPage'),
  validateSearch: readClaimFilters,
})
const candidatesRoute = createRoute({
  ...page('/candidates', () => import('./claims/claims-page.tsx'), 'CandidatesPage'),
  validateSearch: readClaimFilters,
})
const claimRoute = createRoute(page('/claims/$id', () => import('./claims/claim-page.tsx'), 'ClaimPage'))
const candidateRoute = createRoute(
  page('/candidates/$alias', () => import('./claims/claim-page.tsx'), 'CandidatePage'),
)
const schemasRoute = createRoute(
  page('/schemas', () => import('./claim-schemas/schemas-page.tsx'), 'SchemasPage'),
)
/** The id `new` is the page of a new schema. */
const schemaRoute = createRoute({
  ...page('/schemas/$id', () => import('./claim-schemas/schema-page.tsx'), 'SchemaPage'),
  // The version to open in the history.
  validateSearch: ({ version }: RawSearch): { version?: number } =>
    version && /^[1-9]\d{0,9}$/.test(version) ? { version: Number(version) } : {},
})
const calendarsRoute = createRoute(
  page('/calendars', () => import('./calendars/calendars-page.tsx'), 'CalendarsPage'),
)
/** The id `new` is the page of a new calendar. */
const calendarRoute = createRoute(
  page('/calendars/$id', () => import('./calendars/calendar-page.tsx'), 'CalendarPage'),
)
const testClocksRoute = createRoute({
  ...page('/test-clocks', () => import('./test-clocks/test-clocks-page.tsx'), 'TestClocksPage'),
  validateSearch: ({ after }: RawSearch): { after?: string } => (after ? { after } : {}),
})
const testClockRoute = createRoute(
  page('/test-clocks/$id', () => import('./test-clocks/test-clock-page.tsx'), 'TestClockPage'),
)
const customersRoute = createRoute({
  ...page('/customers', () => import('./customers/customers-page.tsx'), 'CustomersPage'),
  validateSearch: (search: RawSearch) => readCustomerSearch(search),
})
const customerRoute = createRoute(
  page('/customers/$id', () => import('./customers/customer-page.tsx'), 'CustomerPage'),
)
/** Within the shell, so that the navigation is visible. */
const unknownRoute = createRoute(page('$', () => import('./shell/not-found-page.tsx'), 'NotFoundPage'))
const webhooksRoute = createRoute(
  page('/webhooks', () => import('./webhooks/webhooks-page.tsx'), 'WebhooksPage'),
)
const webhookRoute = createRoute({
  ...page('/webhooks/$id', () => import('./webhooks/webhook-page.tsx'), 'WebhookPage'),
  validateSearch: ({ status, after }: RawSearch): { status?: DeliveryStatus; after?: string } => ({
    ...(isDeliveryStatus(status) ? { status } : {}),
    ...(after ? { after } : {}),
  }),
})
const tokensRoute = createRoute(page('/tokens', () => import('./accounts/tokens-page.tsx'), 'TokensPage'))
const settingsRoute = createRoute(
  page('/settings', () => import('./accounts/settings-page.tsx'), 'SettingsPage'),
)

const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sign-in',
  component: lazyRouteComponent(() => loadPage(() => import('./accounts/sign-in-page.tsx')), 'SignInPage'),
  // Only a path of this site: not //elsewhere or /\elsewhere.
  validateSearch: ({ next }: RawSearch): { next?: string } =>
    next && /^\/(?![/\\])/.test(next) ? { next } : {},
})
const welcomeRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/welcome',
  component: lazyRouteComponent(() => loadPage(() => import('./accounts/welcome-page.tsx')), 'WelcomePage'),
})

const routeTree = rootRoute.addChildren([
  shellRoute.addChildren([
    overviewRoute,
    activityRoute,
    claimsRoute,
    claimRoute,
    candidatesRoute,
    candidateRoute,
    schemasRoute,
    schemaRoute,
    calendarsRoute,
    calendarRoute,
    testClocksRoute,
    testClockRoute,
    customersRoute,
    customerRoute,
    webhooksRoute,
    webhookRoute,
    tokensRoute,
    settingsRoute,
    unknownRoute,
  ]),
  signInRoute,
  welcomeRoute,
])

export const router = createRouter({
  routeTree,
  parseSearch,
  stringifySearch,
  scrollRestoration: true,
  defaultPreload: 'intent',
  defaultNotFoundComponent: () => <NotFoundState />,
  defaultErrorComponent: PageError,
})

session.onEnd = () => {
  if (session.mustStayOnPage) return
  const { href, pathname } = router.state.location
  if (pathname === '/sign-in' || pathname === '/welcome') return
  queryClient.clear()
  void router.navigate({ to: '/sign-in', search: { next: href } })
}

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
