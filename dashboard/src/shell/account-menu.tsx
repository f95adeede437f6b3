import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { CircleUser, LogOut, Settings } from 'lucide-react'
import { accountQuery } from '../api/account.ts'
import { post } from '../api/client.ts'
import { menuItemClass, PopoverMenu } from '../components/popover-menu.tsx'
import { Segmented } from '../components/segmented.tsx'
import { setTheme, THEMES, useTheme } from '../components/theme.ts'

/** The signed-in account, the theme, and sign-out. */
export function AccountMenu({ side }: { side: 'above' | 'below' }) {
  const { data: account } = useSuspenseQuery(accountQuery)
  const theme = useTheme()
  const signOut = useSignOut()
  return (
    <PopoverMenu
      side={side}
      variant="ghost"
      className="max-w-full px-2.5"
      trigger={
        <>
          <CircleUser aria-hidden />
          <span className="min-w-0 truncate max-lg:sr-only">
            <span className="sr-only">Account of </span>
            <bdi>{account.name || account.email}</bdi>
          </span>
        </>
      }
    >
      {(close) => (
        <>
          <p className="px-2.5 py-1.5 text-xs break-all text-muted">{account.email}</p>
          <Link to="/settings" className={menuItemClass} onClick={close}>
            <Settings aria-hidden /> Settings
          </Link>
          <div className="px-2.5 py-2">
            <Segmented label="Theme" value={theme} options={THEMES} onChange={setTheme} />
          </div>
          <button type="button" className={menuItemClass} onClick={signOut}>
            <LogOut aria-hidden /> Sign out
          </button>
        </>
      )}
    </PopoverMenu>
  )
}

function useSignOut(): () => Promise<void> {
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  return async () => {
    await post('/api/auth/sign-out')
    queryClient.clear()
    await navigate({ to: '/sign-in' })
  }
}
