import { useQuery } from '@tanstack/react-query'
import { accountQuery } from '../api/account.ts'
import { Card, CardBody, CardHeader } from '../components/card.tsx'
import { PageHeader } from '../components/page-header.tsx'
import { Segmented } from '../components/segmented.tsx'
import { setTheme, THEMES, useTheme } from '../components/theme.ts'
import { Currency } from './currency.tsx'
import { Invitations } from './invitations.tsx'
import { PasswordForm } from './password-form.tsx'
import { Sessions } from './sessions.tsx'
import { TimeZone } from './time-zone.tsx'

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
