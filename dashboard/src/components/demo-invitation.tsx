import { Link } from '@tanstack/react-router'
import { DemoButton } from './demo-button.tsx'
import { buttonVariants } from './ui/button.tsx'
import { Card } from './ui/card.tsx'

const STEPS = [
  ['A schema', 'says what must happen, by when, and what counts if nothing does.'],
  ['A claim', 'holds a customer to such a contract, and takes events.'],
  ['A scheduled check', 'decides it each minute: CONFIRMED or FAILED, for good.'],
] as const

/** For when there is nothing yet: what there could be, and a button that makes records to play with. */
export function DemoInvitation() {
  return (
    <Card aria-label="Getting started" className="p-5 sm:p-6">
      <h2 className="text-base font-semibold">No claims yet</h2>
      <p className="mt-0.5 max-w-2xl text-pretty text-muted">
        Make a demo to look around in: a schema, a customer, and claims in every state on a test clock, whose
        time you advance yourself. It touches nothing live.
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
          Begin with a schema
        </Link>
      </div>
    </Card>
  )
}
