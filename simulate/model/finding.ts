/** What must never be. `about`: what was known of it, for people to read. */
export class Finding extends Error {
  readonly about: unknown

  constructor(message: string, about?: unknown) {
    super(message)
    this.name = 'Finding'
    this.about = about
  }
}

export function demand(holds: boolean, message: () => string, about?: () => unknown): asserts holds {
  if (!holds) throw new Finding(message(), about?.())
}
