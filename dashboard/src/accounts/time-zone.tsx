import { isTimeZone } from '../../../src/kernel/time-zone.ts'
import type { Tagged } from '../api/client.ts'
import type { Account } from '../api/records.ts'
import { Button } from '../components/button.tsx'
import { Card, CardBody, CardHeader } from '../components/card.tsx'
import { Field } from '../components/field.tsx'
import { FormError } from '../components/form-error.tsx'
import { TimeZoneSelect } from '../components/time-zone-select.tsx'
import { useNow } from '../components/use-now.ts'
import { localTimeIn } from '../format/local-time.ts'
import { ofThisBrowser } from '../format/time-zone-names.ts'
import { useAccountChange } from './use-account-change.ts'

/** Chooses the time zone of the account. */
export function TimeZone({ account }: { account: Tagged<Account> }) {
  const change = useAccountChange(account, 'Time zone saved')
  const { time_zone } = account
  const here = ofThisBrowser()
  return (
    <Card aria-label="Time zone">
      <CardHeader
        title="Time zone"
        description="Times are shown in this zone. Days in the overview, in filters and in export names follow it. Decisions, prices and stored times do not change. The API and exported columns stay in UTC."
      />
      <CardBody className="grid grid-cols-1 gap-4">
        <Field label="Time zone of the account" hint={<Now timeZone={time_zone} />}>
          {(props) => (
            <TimeZoneSelect
              {...props}
              value={time_zone}
              disabled={change.isPending}
              onChange={(name) => change.mutate({ time_zone: name })}
            />
          )}
        </Field>
        {here === time_zone ? null : (
          <p className="flex flex-wrap items-center gap-x-3 gap-y-1.5">
            <span className="min-w-0 wrap-anywhere">The time zone of this browser is {here}.</span>
            <Button size="sm" pending={change.isPending} onClick={() => change.mutate({ time_zone: here })}>
              Use it
            </Button>
          </p>
        )}
        <FormError error={change.error} />
      </CardBody>
    </Card>
  )
}

function Now({ timeZone }: { timeZone: string }) {
  const now = new Date(useNow()).toISOString()
  if (!isTimeZone(timeZone)) return 'This browser does not know this zone. Times are shown in UTC.'
  return `It is now ${localTimeIn(timeZone).show(now)}.`
}
