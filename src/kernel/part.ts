/**
 * What lives as long as the service and has something of its own on the way: a connection, a timer, a write that nobody
 * waits for. It is made with the service, and holds nothing before it starts and after it has stopped.
 */
export interface Part {
  /** Resolves when it is at work; absent if it is so from the first. */
  start?(): Promise<void>
  /**
   * Begins nothing more, and resolves when what it had begun has ended. It may never have been started, and be stopped
   * twice. How long that may take is up to the caller.
   */
  stop(): Promise<void>
}

/** In their order. */
export async function startParts(parts: readonly Part[]): Promise<void> {
  for (const part of parts) await part.start?.()
}

/** All at once, each whatever becomes of the others. Never rejects. */
export async function stopParts(parts: readonly Part[], onError: (error: unknown) => void): Promise<void> {
  await Promise.all(parts.map((part) => part.stop().catch(onError)))
}
