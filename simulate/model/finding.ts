/** A violated invariant. `about`: known facts, for people. */
export class Finding extends Error {
  readonly about: unknown

  constructor(message: string, about?: unknown) {
    super(message)
    this.name = 'Finding'
    this.about = about
  }
}

/** The verification throws if a response is not as documented, so its exceptions are findings. */
export const findingOf = (error: unknown): Finding =>
  error instanceof Finding
    ? error
    : new Finding(`the verification failed: ${error}`, error instanceof Error ? error.stack : undefined)

export function assert(holds: boolean, message: () => string, about?: () => unknown): asserts holds {
  if (!holds) throw new Finding(message(), about?.())
}
