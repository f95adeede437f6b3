import { useQuery } from '@tanstack/react-query'
import { accountQuery } from '../api/account.ts'
import { Card, CardBody, CardHeader } from '../components/ui/card.tsx'
import { PageHeader } from '../components/ui/page-header.tsx'
import { Segmented } from '../components/ui/segmented.tsx'
import { setTheme, THEMES, useTheme } from '../shell/theme.ts'
import { Currency } from './settings/currency.tsx'
import { Invitations } from './settings/invitations.tsx'
import { PasswordForm } from './settings/password-form.tsx'
import { Sessions } from './settings/sessions.tsx'
import { TimeZone } from './settings/time-zone.tsx'

export function SettingsPage() {
  const { data: account } = useQuery(accountQuery)
  const theme = useTheme()
  return (
    <>
      <PageHeader title="Settings" description={account ? `Signed in as ${account.email}` : ' '} />
      <div className="grid items-start gap-5 lg:grid-cols-2">
        <div className="grid gap-5">
          <Card aria-label="Appearance">
            <CardHeader title="Appearance" description="Saved in this browser." />
            <CardBody>
              <Segmented label="Theme" value={theme} options={THEMES} onChange={setTheme} />
            </CardBody>
          </Card>
          {account ? <Currency account={account} /> : null}
          {account ? <TimeZone account={account} /> : null}
          <PasswordForm />
        </div>
        <div className="grid gap-5">
          <Sessions />
          <Invitations />
        </div>
      </div>
    </>
  )
}
