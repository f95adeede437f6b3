import type { Request } from './request.ts'

/** A response that violates the document, or a missing response. */
export class Finding extends Error {
  readonly request: Request

  constructor(violation: string, request: Request) {
    super(violation)
    this.request = request
  }

  /** The first line without numbers, ids and names. Findings of one kind probably have one cause. */
  get kind(): string {
    const [first = ''] = this.message.split('\n', 1)
    return first.replaceAll(/"[^"]*"|[0-9a-f]{8}-[0-9a-f-]{27}|\d+/g, '…').slice(0, 120)
  }
}

/** The first finding of a kind, with the number of findings of the kind. */
export interface CountedFinding {
  finding: Finding
  times: number
}

/** The findings by kind. */
export class Findings {
  readonly #byKind = new Map<string, CountedFinding>()

  add(finding: Finding): void {
    const known = this.#byKind.get(finding.kind)
    if (known) known.times++
    else this.#byKind.set(finding.kind, { finding, times: 1 })
  }

  get all(): CountedFinding[] {
    return [...this.#byKind.values()]
  }
}
