import { after, afterEach, beforeEach } from 'node:test'
import type { Browser, BrowserContext } from 'playwright-core'
import { processScope } from './process-scope.ts'
import type { Scope } from './test-database.ts'
import { startTestService, type TestService } from './test-service.ts'
import { startWebhookService } from './webhook-service.ts'

/*
 * Resources that the test files of a process share, because starting them costs more than most files. Each call makes a new
 * account, so a file does not see the records of other files. A test that stops or breaks a service starts its own.
 */

function startOnce<T>(start: (t: Scope) => Promise<T>): () => Promise<T> {
  let started: Promise<T> | undefined
  // `async` gives each caller its own promise. With one shared promise, node:test assigns later tests to the file that called first.
  return async () => {
    started ??= start(processScope)
    return await started
  }
}

const service = startOnce((t) => startTestService(t))
const secondService = startOnce(async (t) =>
  startTestService(t, { databaseUrl: (await service()).databaseUrl, withoutAccount: true }),
)
const webhookService = startOnce((t) => startWebhookService(t))
// Loaded only if a test uses it: loading the library takes as long as a small test file.
const browserOfProcess = startOnce(async (t) => (await import('./browser.ts')).startBrowser(t))

const withOwnAccount = async <T extends TestService>(shared: T): Promise<T> => ({
  ...shared,
  api: await shared.newAccount(),
})

/** The service of this process; `api` speaks as a new account. */
export const sharedService = async () => withOwnAccount(await service())

/** Another server on the shared service's database; it caches only claims that were sent to it. Its `api` has no token. */
export const sharedSecondService = (): Promise<TestService> => secondService()

/** A service on its own database that also sends webhooks, to private addresses too; `api` speaks as a new account. */
export const sharedWebhookService = async () => withOwnAccount(await webhookService())

const keptOpen = new Set<BrowserContext>()

/** Keeps the context open for later tests. */
export const keepContextOpen = (context: BrowserContext): void => void keptOpen.add(context)

/**
 * The browser of this process. Contexts of a test are closed after the test, and contexts of the file after the file, because
 * an open page polls the service. Contexts given to `keepContextOpen` stay open.
 */
export async function sharedBrowser(): Promise<Browser> {
  const browser = await browserOfProcess()
  let ofFile: readonly BrowserContext[] = []
  const closeOthers = (than: readonly BrowserContext[]) =>
    Promise.all(
      browser
        .contexts()
        .filter((context) => !than.includes(context) && !keptOpen.has(context))
        .map((context) => context.close()),
    )
  beforeEach(() => {
    ofFile = browser.contexts()
  })
  afterEach(() => closeOthers(ofFile))
  after(() => closeOthers([]))
  return browser
}
