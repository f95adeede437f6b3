import { ApiError } from '../api/client.ts'
import { pause } from '../api/pause.ts'
import { session } from '../api/query-client.ts'
import { type ActivityList, withNewer, withOlder } from './activity-entry.ts'
import {
  type FeedFilters,
  type FeedItem,
  type Following,
  follow,
  readBackwards,
  readEnd,
  TooFarBehind,
} from './notifications-api.ts'

/** How up to date the list is. */
export type Liveness = 'connecting' | 'live' | 'lost' | 'paused'

export interface Activity extends ActivityList {
  isLoaded: boolean
  liveness: Liveness
  /** Why nothing is loaded yet. */
  error: unknown
  isLoadingOlder: boolean
  /** Why loading older entries failed. */
  olderError: unknown
}

/** Entries kept while the list grows. */
const MAX_ENTRIES = 500
const PAGE = 50
/** The shortest time between updates of the page. There may be hundreds of notifications a second. */
const SHOW_EVERY_MS = 150
/** A shorter interruption is not shown. */
const VISIBLE_BREAK_MS = 3_000
const MIN_BACKOFF_MS = 500
const MAX_BACKOFF_MS = 15_000

type Timer = ReturnType<typeof setTimeout>

const NOTHING: Activity = {
  entries: [],
  older: null,
  isLoaded: false,
  liveness: 'connecting',
  error: null,
  isLoadingOlder: false,
  olderError: null,
}

/** The filtered notifications of the account: the newest, new ones as they come, and older ones on demand. */
export class ActivityFeed {
  readonly #filters: FeedFilters
  readonly #listeners = new Set<() => void>()
  #shown: Activity = NOTHING
  #following: Following | null = null
  /** Received and not shown yet. */
  #waiting: FeedItem[] = []
  #showTimer: Timer | undefined
  #breakTimer: Timer | undefined
  #mostEntries = MAX_ENTRIES

  constructor(filters: FeedFilters) {
    this.#filters = filters
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  shown = (): Activity => this.#shown

  /** Follows the feed until the returned function is called. */
  start = (): (() => void) => {
    const stop = new AbortController()
    if (this.#following) this.#following.isPolling = false
    this.#show({ liveness: 'connecting', error: null })
    this.#run(stop.signal).catch((error: unknown) => {
      if (stop.signal.aborted) return
      if (error instanceof ApiError && error.code === 'TOKEN_INVALID') session.onEnd()
      this.#show({ liveness: 'lost', error })
    })
    return () => {
      stop.abort()
      clearTimeout(this.#breakTimer)
      this.#breakTimer = undefined
      this.#showWaiting()
      this.#show({ liveness: 'paused' })
    }
  }

  showOlder = async (): Promise<void> => {
    const { older, isLoadingOlder } = this.#shown
    if (older === null || isLoadingOlder) return
    this.#show({ isLoadingOlder: true, olderError: null })
    try {
      const part = await readBackwards(this.#filters, older, PAGE)
      // The list may have been cut meanwhile: then the next attempt loads from the new end.
      const list = this.#shown.older === older ? withOlder(this.#shown, part) : this.#shown
      // Entries that the user loaded are not cut again.
      this.#mostEntries = Math.max(this.#mostEntries, list.entries.length + PAGE)
      this.#show({ ...list, isLoadingOlder: false })
    } catch (error) {
      this.#show({ isLoadingOlder: false, olderError: error })
    }
  }

  /** Connects, and reconnects with exponential backoff. */
  async #run(stop: AbortSignal): Promise<void> {
    for (let failures = 0; ; failures++) {
      try {
        this.#following ??= await this.#load(stop)
        const onPart = (items: FeedItem[]) => {
          failures = 0
          this.#take(items)
        }
        await follow(this.#following, onPart, stop)
        if (this.#following.isPolling) continue
      } catch (error) {
        if (stop.aborted) return
        if (isPermanent(error)) throw error
        if (mustReload(error)) this.#following = null
        else if (this.#following) this.#following.isPolling = false
        if (!this.#shown.isLoaded) this.#show({ error })
      }
      this.#noteBreak()
      await pause(Math.min(MAX_BACKOFF_MS, MIN_BACKOFF_MS * 2 ** failures), stop)
    }
  }

  /** Loads the newest entries. The cursor is read first, so notifications between the two reads are not lost. */
  async #load(stop: AbortSignal): Promise<Following> {
    const cursor = await readEnd(stop)
    const part = await readBackwards(this.#filters, null, PAGE, stop)
    this.#waiting = []
    this.#mostEntries = MAX_ENTRIES
    this.#show({ ...withOlder({ entries: [], older: null }, part), isLoaded: true, error: null })
    return { filters: this.#filters, cursor, isPolling: false }
  }

  #take(items: readonly FeedItem[]): void {
    clearTimeout(this.#breakTimer)
    this.#breakTimer = undefined
    if (this.#shown.liveness !== 'live') this.#show({ liveness: 'live' })
    if (items.length === 0) return
    this.#waiting.push(...items)
    this.#showTimer ??= setTimeout(() => this.#showWaiting(), SHOW_EVERY_MS)
  }

  #showWaiting(): void {
    clearTimeout(this.#showTimer)
    this.#showTimer = undefined
    if (this.#waiting.length > 0) this.#show(withNewer(this.#shown, this.#waiting, this.#mostEntries))
    this.#waiting = []
  }

  #noteBreak(): void {
    this.#breakTimer ??= setTimeout(() => this.#show({ liveness: 'lost' }), VISIBLE_BREAK_MS)
  }

  #show(changed: Partial<Activity>): void {
    this.#shown = { ...this.#shown, ...changed }
    for (const listener of this.#listeners) listener()
  }
}

const mustReload = (error: unknown) =>
  error instanceof TooFarBehind || (error instanceof ApiError && error.code === 'CURSOR_EXPIRED')

/** A retry would fail again: the session has ended, or a filter is invalid. */
const isPermanent = (error: unknown) => error instanceof ApiError && error.status >= 400 && error.status < 404
