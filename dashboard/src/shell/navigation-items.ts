import {
  Activity,
  BookOpenCheck,
  CalendarClock,
  Clock,
  FileCheck,
  KeyRound,
  LayoutDashboard,
  type LucideIcon,
  Settings,
  Tags,
  Users,
  Webhook,
} from 'lucide-react'

interface NavigationItem {
  to:
    | '/'
    | '/activity'
    | '/claims'
    | '/candidates'
    | '/schemas'
    | '/calendars'
    | '/customers'
    | '/test-clocks'
    | '/webhooks'
    | '/tokens'
    | '/settings'
  name: string
  icon: LucideIcon
  /** The key of the shortcut, after g. */
  key: string
}

/** The pages, in the order of the navigation. */
export const MAIN_PAGES: readonly NavigationItem[] = [
  { to: '/', name: 'Overview', icon: LayoutDashboard, key: 'o' },
  { to: '/activity', name: 'Activity', icon: Activity, key: 'v' },
  { to: '/claims', name: 'Claims', icon: FileCheck, key: 'c' },
  { to: '/candidates', name: 'Candidates', icon: Tags, key: 'a' },
  { to: '/schemas', name: 'Schemas', icon: BookOpenCheck, key: 's' },
  { to: '/calendars', name: 'Calendars', icon: CalendarClock, key: 'l' },
  { to: '/customers', name: 'Customers', icon: Users, key: 'u' },
  { to: '/test-clocks', name: 'Test clocks', icon: Clock, key: 't' },
]

export const ACCOUNT_PAGES: readonly NavigationItem[] = [
  { to: '/webhooks', name: 'Webhooks', icon: Webhook, key: 'w' },
  { to: '/tokens', name: 'API tokens', icon: KeyRound, key: 'k' },
  { to: '/settings', name: 'Settings', icon: Settings, key: ',' },
]
