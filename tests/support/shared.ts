import { after, afterEach, beforeEach } from 'node:test'
import type { Browser, BrowserContext } from 'playwright-core'
import { processScope } from './process-scope.ts'
import type { Scope } from './test-database.ts'
import { startTestService, type TestService } from './test-service.ts'
import { startWebhookService } from './webhook-service.ts'

/*
 * What the test files of a process share: starting it costs more than most files do. Each test makes an account of its
 * own, so it does not see the records of the others. A test that stops or breaks a service starts its own.
 */

function once<T>(start: (t: Scope) => Promise<T>): () => Promise<T> {
  let started: Promise<T> | undefined
  // Each caller awaits a promise of its own: after `await started` node:test takes the file that started it for the current one.
  return async () => {
    started ??= start(processScope)
    return await started
  }
}

const service = once((t) => startTestService(t))
const secondService = once(async (t) =>
  startTestService(t, { databaseUrl: (await service()).databaseUrl, withoutAccount: true }),
)
const webhookService = once((t) => startWebhookService(t))
// Loaded only where a test asks for it: the library takes as long as a small test file.
const browserOfProcess = once(async (t) => (await import('./browser.ts')).startBrowser(t))

const withOwnAccount = async <T extends TestService>(shared: T): Promise<T> => ({
  ...shared,
  api: await shared.newAccount(),
})

/** The service of this process; `api` speaks as a new account. */
export const sharedService = async () => withOwnAccount(await service())

/** Another server on the database of the shared service. It knows no claims but those that were sent to it. */
export const sharedSecondService = (): Promise<TestService> => secondService()

/** The same, which also sends webhooks, to addresses of this machine too. */
export const sharedWebhookService = async () => withOwnAccount(await webhookService())

const kept = new Set<BrowserContext>()

/** Keeps the context for the tests that follow. */
export const keepContext = (context: BrowserContext): void => void kept.add(context)

/** The browser of this process. It closes what a test opened after the test, the rest after the file: an open page polls the service. */
export async function sharedBrowser(): Promise<Browser> {
  const browser = await browserOfProcess()
  let ofFile: readonly BrowserContext[] = []
  const closeOthers = (than: readonly BrowserContext[]) =>
    Promise.all(
      browser
        .contexts()
        .filter((context) => !than.includes(context) && !kept.has(context))
        .map((context) => context.close()),
    )
  beforeEach(() => {
    ofFile = browser.contexts()
  })
  afterEach(() => closeOthers(ofFile))
  after(() => closeOthers([]))
  return browser
}
