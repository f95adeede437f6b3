import { isTimeZone } from '../../../../src/kernel/time-zone.ts'
import type { Tagged } from '../../api/client.ts'
import type { Account } from '../../api/records.ts'
import { Button } from '../../components/ui/button.tsx'
import { Card, CardBody, CardHeader } from '../../components/ui/card.tsx'
import { Field } from '../../components/ui/field.tsx'
import { FormError } from '../../components/ui/form-error.tsx'
import { Select } from '../../components/ui/select.tsx'
import { useNow } from '../../components/ui/use-now.ts'
import { localTimeIn } from '../../local-time.ts'
import { ofThisBrowser, TIME_ZONES } from './time-zone-names.ts'
import { useAccountChange } from './use-account-change.ts'

/** Continents, mostly. */
const REGIONS = [...new Set(TIME_ZONES.map((name) => name.split('/')[0]))]

/** By whose days the account goes. */
export function TimeZone({ account }: { account: Tagged<Account> }) {
  const change = useAccountChange(account, 'Time zone saved')
  const { time_zone } = account
  const here = ofThisBrowser()
  return (
    <Card aria-label="Time zone">
      <CardHeader
        title="Time zone"
        description="In which times are shown here, and by which days begin and end: those of the overview, of filters and in the names of exports. It changes no decision, no price and no stored time; the API and the columns of exports stay in UTC."
      />
      <CardBody className="grid grid-cols-1 gap-4">
        <Field label="Time zone of the account" hint={<Now timeZone={time_zone} />}>
          {(props) => (
            <Select
              {...props}
              value={time_zone}
              disabled={change.isPending}
              onChange={({ target }) => change.mutate({ time_zone: target.value })}
            >
              <Names names={[...new Set([time_zone, 'UTC'])]} />
              {REGIONS.map((region) => (
                <optgroup key={region} label={region}>
                  <Names
                    names={TIME_ZONES.filter((name) => name.startsWith(`${region}/`) && name !== time_zone)}
                  />
                </optgroup>
              ))}
            </Select>
          )}
        </Field>
        {here === time_zone ? null : (
          <p className="flex flex-wrap items-center gap-x-3 gap-y-1.5">
            <span className="min-w-0 wrap-anywhere">This browser is in {here}.</span>
            <Button size="sm" pending={change.isPending} onClick={() => change.mutate({ time_zone: here })}>
              Use that
            </Button>
          </p>
        )}
        <FormError error={change.error} />
      </CardBody>
    </Card>
  )
}

const Names = ({ names }: { names: readonly string[] }) =>
  names.map((name) => (
    <option key={name} value={name}>
      {name}
    </option>
  ))

function Now({ timeZone }: { timeZone: string }) {
  const now = new Date(useNow()).toISOString()
  if (!isTimeZone(timeZone)) return 'This browser does not know it, and shows times in UTC.'
  return `It is now ${localTimeIn(timeZone).show(now)}.`
}
