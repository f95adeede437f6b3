import { FastForward } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { ApiError } from '../api/client.ts'
import type { TestClock } from '../api/records.ts'
import { ClaimList } from '../claims/claim-list.tsx'
import { Button } from '../components/button.tsx'
import { Card, CardBody } from '../components/card.tsx'
import { Field } from '../components/field.tsx'
import { Form } from '../components/form.tsx'
import { FormError } from '../components/form-error.tsx'
import { Input } from '../components/input.tsx'
import { Countdown, DateTime } from '../components/time.tsx'
import { useLocalTime } from '../components/use-local-time.ts'
import { type Advance, useAdvance } from './advance.ts'

const MINUTE_MS = 60_000
const STEPS = [
  ['A minute', MINUTE_MS],
  ['An hour', 60 * MINUTE_MS],
  ['A day', 24 * 60 * MINUTE_MS],
] as const

/** The time of the clock, the controls to advance it, and the result of the last advance. */
export function AdvanceCard({ clock }: { clock: TestClock }) {
  const advancing = useAdvance(clock)
  const { frozen_time, next_due_at } = clock
  const now = Date.parse(frozen_time)
  const advance = (ms: number) => advancing.mutate(new Date(ms).toISOString())
  // A claim changes at the first whole minute at or after its due time.
  const nextCheck = next_due_at
    ? Math.max(Math.ceil(Date.parse(next_due_at) / MINUTE_MS), Math.floor(now / MINUTE_MS) + 1) * MINUTE_MS
    : null
  return (
    <Card aria-label="Time">
      <CardBody className="grid grid-cols-1 gap-5 pt-5 lg:grid-cols-[minmax(0,1fr)_minmax(0,2fr)]">
        <dl className="grid content-start gap-3">
          <div>
            <dt className="text-xs text-muted">Clock time</dt>
            <dd className="figures text-xl font-semibold tracking-tight">
              <DateTime at={frozen_time} />
            </dd>
          </div>
          <div>
            <dt className="text-xs text-muted">Next due</dt>
            <dd>
              {next_due_at ? (
                <>
                  <DateTime at={next_due_at} />, <Countdown at={next_due_at} now={frozen_time} prefix="in " />
                </>
              ) : (
                'Nothing is due'
              )}
            </dd>
          </div>
        </dl>
        <div className="grid grid-cols-1 content-start gap-3">
          <fieldset className="min-w-0">
            <legend className="mb-1.5 text-[0.8125rem] font-medium">Advance by</legend>
            <div className="flex flex-wrap gap-2">
              {STEPS.map(([name, ms]) => (
                <Button key={name} pending={advancing.isPending} onClick={() => advance(now + ms)}>
                  {name}
                </Button>
              ))}
              <Button
                variant="primary"
                pending={advancing.isPending}
                disabled={nextCheck === null}
                onClick={() => nextCheck !== null && advance(nextCheck)}
              >
                <FastForward aria-hidden /> To the next due time
              </Button>
            </div>
          </fieldset>
          <ChosenTime
            key={frozen_time}
            frozenTime={frozen_time}
            pending={advancing.isPending}
            error={advancing.error}
            onAdvance={(time) => advancing.mutate(time)}
          />
        </div>
        {advancing.data ? <WhatMoved advance={advancing.data} /> : null}
      </CardBody>
    </Card>
  )
}

interface ChosenTimeProps {
  frozenTime: string
  pending: boolean
  error: unknown
  onAdvance: (time: string) => void
}

function ChosenTime({ frozenTime, pending, error, onAdvance }: ChosenTimeProps) {
  const { timeZone, toField, fromField } = useLocalTime()
  const [text, setText] = useState('')
  const refused = error instanceof ApiError ? error.details.find(({ path }) => path === 'frozen_time') : null
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const time = fromField(text)
    if (time) onAdvance(time)
  }
  return (
    <Form onSubmit={submit} className="grid min-w-0 grid-cols-1 gap-2">
      <Field label="To a chosen time" hint={`In ${timeZone}.`} error={refused?.message}>
        {(props) => (
          <span className="flex max-w-sm gap-2 max-sm:flex-wrap">
            <Input
              {...props}
              type="datetime-local"
              required
              min={toField(frozenTime)}
              value={text}
              onChange={({ target }) => setText(target.value)}
            />
            <Button type="submit" pending={pending}>
              Advance
            </Button>
          </span>
        )}
      </Field>
      <FormError error={error} shownPaths={['frozen_time']} />
    </Form>
  )
}

function WhatMoved({ advance: { from, to, transitions, moved } }: { advance: Advance }) {
  return (
    <div role="status" className="grid gap-3 lg:col-span-2">
      <p className="rounded-lg bg-accent-soft px-3.5 py-2.5 text-accent">
        <strong>
          {transitions === 0
            ? 'No transitions'
            : `${transitions.toLocaleString('en')} ${transitions === 1 ? 'transition' : 'transitions'}`}
        </strong>{' '}
        from <DateTime at={from} /> to <DateTime at={to} />.
      </p>
      {moved.length > 0 ? (
        <ClaimList title="Changed claims" claims={moved} now={to} moment="since" empty="" />
      ) : null}
    </div>
  )
}
