/** A violated invariant. `about`: known facts, for people. */
export class Finding extends Error {
  readonly about: unknown

  constructor(message: string, about?: unknown) {
    super(message)
    this.name = 'Finding'
    this.about = about
  }
}

/** A response that makes the judge throw is not as documented, so an exception of the judge is a finding. */
export const findingOf = (error: unknown): Finding =>
  error instanceof Finding
    ? error
    : new Finding(`the judge failed: ${error}`, error instanceof Error ? error.stack : undefined)

export function demand(holds: boolean, message: () => string, about?: () => unknown): asserts holds {
  if (!holds) throw new Finding(message(), about?.())
}
