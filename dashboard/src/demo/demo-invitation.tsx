import { Link } from '@tanstack/react-router'
import { buttonVariants } from '../components/button.tsx'
import { Card } from '../components/card.tsx'
import { DemoButton } from './demo-button.tsx'

const STEPS = [
  ['A schema', 'defines what must happen, by when, and the outcome if it does not.'],
  ['A claim', 'is a contract with one customer. It takes events.'],
  ['A scheduled check', 'runs each minute and resolves claims to CONFIRMED or FAILED.'],
] as const

/** Shown to an account without records: explains the concepts and offers demo data. */
export function DemoInvitation() {
  return (
    <Card aria-label="Getting started" className="p-5 sm:p-6">
      <h2 className="text-base font-semibold">No claims yet</h2>
      <p className="mt-0.5 max-w-2xl text-pretty text-muted">
        Create demo data to explore: a schema, a customer, and claims in every status. The claims are on a
        test clock, so no live claim is affected.
      </p>
      <ol className="mt-4 grid gap-3 md:grid-cols-3">
        {STEPS.map(([name, does], i) => (
          <li key={name} className="flex gap-3 rounded-lg bg-sunken p-3">
            <span
              aria-hidden
              className="grid size-6 shrink-0 place-items-center rounded-full bg-accent-soft text-xs font-semibold text-accent"
            >
              {i + 1}
            </span>
            <span className="text-pretty text-muted">
              <strong className="font-medium text-ink">{name}</strong> {does}
            </span>
          </li>
        ))}
      </ol>
      <div className="mt-5 flex flex-wrap items-center gap-2">
        <DemoButton variant="primary" />
        <Link to="/schemas/$id" params={{ id: 'new' }} className={buttonVariants()}>
          Start with a schema
        </Link>
      </div>
    </Card>
  )
}
