import { Link } from '@tanstack/react-router'
import { ACCOUNT_PAGES, MAIN_PAGES } from './navigation-items.ts'

const ITEM =
  'flex h-9 items-center gap-2.5 rounded-lg px-2.5 font-medium text-muted hover:bg-sunken hover:text-ink aria-[current=page]:bg-accent-soft aria-[current=page]:text-accent [&_svg]:size-4 [&_svg]:shrink-0'

interface NavigationProps {
  /** Called when a link is clicked. */
  onChoose?: () => void
}

export function Navigation({ onChoose }: NavigationProps) {
  return (
    <nav aria-label="Main" className="grid gap-5">
      {[MAIN_PAGES, ACCOUNT_PAGES].map((items) => (
        <ul key={items[0]?.to} className="grid gap-0.5">
          {items.map(({ to, name, icon: Icon }) => (
            <li key={to}>
              <Link
                to={to}
                activeOptions={{ exact: to === '/', includeSearch: false }}
                className={ITEM}
                {...(onChoose ? { onClick: onChoose } : {})}
              >
                <Icon aria-hidden />
                {name}
              </Link>
            </li>
          ))}
        </ul>
      ))}
    </nav>
  )
}
