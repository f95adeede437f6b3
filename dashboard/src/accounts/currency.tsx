import { moneyFormat } from '../../../src/core/contracts/contract-in-words.ts'
import type { Tagged } from '../api/client.ts'
import type { Account } from '../api/records.ts'
import { Card, CardBody, CardHeader } from '../components/card.tsx'
import { Field } from '../components/field.tsx'
import { FormError } from '../components/form-error.tsx'
import { Select } from '../components/select.tsx'
import { useAccountChange } from './use-account-change.ts'

const names = new Intl.DisplayNames(undefined, { type: 'currency' })
const CURRENCIES = Intl.supportedValuesOf('currency')

/** Chooses the currency of the account's prices. */
export function Currency({ account }: { account: Tagged<Account> }) {
  const change = useAccountChange(account, 'Currency saved')
  const { currency } = account
  return (
    <Card aria-label="Currency">
      <CardHeader title="Currency" description="The currency of your prices. No price is converted." />
      <CardBody className="grid gap-4">
        <Field label="Currency of the account" hint={`Prices are shown as ${moneyFormat(currency)(1234.5)}.`}>
          {(props) => (
            <Select
              {...props}
              value={currency ?? ''}
              disabled={change.isPending}
              onChange={({ target }) => change.mutate({ currency: target.value || null })}
            >
              <option value="">None</option>
              {CURRENCIES.map((code) => (
                <option key={code} value={code}>
                  {code} · {names.of(code)}
                </option>
              ))}
            </Select>
          )}
        </Field>
        <FormError error={change.error} />
      </CardBody>
    </Card>
  )
}
