import { existsSync } from 'node:fs'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import type { Scope } from './test-database.ts'

/** Names in Debian, Fedora and others, the fastest first. The tests do not install a browser. */
const EXECUTABLES = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
]
const ARGUMENTS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // Saves a process. The flag replaces Playwright's flag, so it repeats the features that Playwright names.
  '--enable-features=NetworkServiceInProcess2,CDPScreenshotNewSurface,SkipListAccountsWithoutGaiaCookies',
  // The pages' Cross-Origin-Opener-Policy would start a process for each new page, which takes half a second.
  '--renderer-process-limit=1',
  // A page lives for seconds: V8 spends more on optimized code than that code saves.
  '--js-flags=--no-opt --no-maglev',
]

/** A real Chromium, closed with its scope. Each page has a profile of its own. */
export async function startBrowser(t: Scope): Promise<Browser> {
  const executablePath = EXECUTABLES.find(existsSync)
  if (!executablePath) throw new Error('Chromium is missing: apt-get install -y chromium-headless-shell')
  // Otherwise the process survives SIGTERM. Chromium ends when its process does: it loses its pipe.
  const browser = await chromium.launch({ executablePath, args: ARGUMENTS, handleSIGTERM: false })
  t.after(() => browser.close())
  return browser
}

export interface WatchedPage {
  page: Page
  /** Console errors: refused styles or scripts, failed requests, exceptions. */
  pageErrors: string[]
}

/** A new page that records its console errors. */
export async function openPage(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
): Promise<WatchedPage> {
  // With reduced motion, because colours are wrong during a fade-in.
  const defaults = { baseURL: url, locale: 'en-GB', reducedMotion: 'reduce' } as const
  const context = await browser.newContext({ ...defaults, ...options })
  const page = await context.newPage()
  // Long, because other tests keep the machine busy. Only failures take this long.
  page.setDefaultTimeout(60_000)
  const pageErrors: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning')
      pageErrors.push(`${message.text()} ${message.location().url}`)
  })
  page.on('pageerror', (error) => pageErrors.push(String(error)))
  return { page, pageErrors }
}
