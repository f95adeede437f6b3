import type { Request } from './request.ts'

/** An answer, or none, that should not be. */
export class Finding extends Error {
  readonly request: Request

  constructor(flaw: string, request: Request) {
    super(flaw)
    this.request = request
  }

  /** The same for findings that are probably one: without numbers, names and what follows. */
  get kind(): string {
    const [first = ''] = this.message.split('\n', 1)
    return first.replaceAll(/"[^"]*"|[0-9a-f]{8}-[0-9a-f-]{27}|\d+/g, '…').slice(0, 120)
  }
}

/** How many of a kind there were, and the first of them. */
export interface Found {
  finding: Finding
  times: number
}

/** What was found, by kind. */
export class Findings {
  readonly #byKind = new Map<string, Found>()

  add(finding: Finding): void {
    const known = this.#byKind.get(finding.kind)
    if (known) known.times++
    else this.#byKind.set(finding.kind, { finding, times: 1 })
  }

  get all(): Found[] {
    return [...this.#byKind.values()]
  }
}
