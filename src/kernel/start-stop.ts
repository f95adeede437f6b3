/** A part of the service with connections, timers or writes of its own. Before the start and after the stop it has none. */
export interface Lifecycle {
  /** Resolves when the part works. Absent if the part works from its construction. */
  start?(): Promise<void>
  /**
   * Starts no new work, and resolves when the running work has ended. May be called before the start, and twice. The caller
   * limits the time.
   */
  stop(): Promise<void>
}

/** Starts the parts one after the other. */
export async function startAll(parts: readonly Lifecycle[]): Promise<void> {
  for (const part of parts) await part.start?.()
}

/** Stops the parts concurrently. Never rejects. */
export async function stopAll(parts: readonly Lifecycle[], onError: (error: unknown) => void): Promise<void> {
  await Promise.all(parts.map((part) => part.stop().catch(onError)))
}
