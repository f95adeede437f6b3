import fc from 'fast-check'

/** A fault of a statement. A loss breaks the connection at once, a silence after a timeout. */
export type Fault =
  | { kind: 'refusal'; code: string }
  | { kind: 'loss before' | 'loss after' | 'silence' | 'silence after' }
  | { kind: 'delay' | 'late answer' | 'loss, and it comes late'; ms: number }

/** An SQLSTATE of each class of errors. */
const CODES = [
  '53100',
  '53300',
  '57014',
  '40P01',
  '40001',
  '55P03',
  '25006',
  'XX000',
  '58030',
  '57P01',
  '08006',
]

export const fault: fc.Arbitrary<Fault> = fc.oneof(
  fc.record(
    { kind: fc.constant('refusal' as const), code: fc.constantFrom(...CODES) },
    { noNullPrototype: true },
  ),
  fc.record(
    {
      kind: fc.constantFrom(
        'loss before' as const,
        'loss after' as const,
        'silence' as const,
        'silence after' as const,
      ),
    },
    { noNullPrototype: true },
  ),
  fc.record(
    {
      kind: fc.constantFrom('delay' as const, 'late answer' as const, 'loss, and it comes late' as const),
      ms: fc.constantFrom(1, 30, 120, 600, 6_000, 20_000),
    },
    { noNullPrototype: true },
  ),
)

/** Each armed fault is injected into the next statement of its name. */
export class Faults {
  #armed: { statement: string; fault: Fault }[] = []
  injected = 0

  arm(statement: string, fault: Fault): void {
    this.#armed.push({ statement, fault })
  }

  disarm(): void {
    this.#armed = []
  }

  at(statement: string): Fault | undefined {
    const i = this.#armed.findIndex((one) => one.statement === statement)
    if (i < 0) return undefined
    this.injected++
    return this.#armed.splice(i, 1)[0]?.fault
  }
}
