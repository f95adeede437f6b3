import { Fragment, type KeyboardEvent, useId, useLayoutEffect, useRef } from 'react'
import type { ButtonProps } from './button.tsx'
import { cn } from './cn.ts'
import { Kbd } from './kbd.tsx'
import { menuItemClass, PopoverMenu } from './popover-menu.tsx'

interface MenuItem {
  name: string
  /** The keys of its shortcut, as they are shown. */
  keys?: readonly string[]
  /** The shortcut for `aria-keyshortcuts`. */
  ariaKeys?: string
  /** Why the item is disabled, or null. */
  refusal: string | null
  onChoose: () => void
}

interface MenuProps extends Omit<ButtonProps, 'children'> {
  trigger: React.ReactNode
  /** Called when the menu is open. Groups are separated by a line. */
  groupsOf: () => MenuItem[][]
}

/**
 * A button with a menu of actions. The arrow keys, Home, End and first letters move in the menu; Escape closes it and
 * returns the focus to the button.
 */
export function Menu({ trigger, groupsOf, ...props }: MenuProps) {
  const label = props['aria-label'] ?? ''
  return (
    <PopoverMenu
      {...props}
      trigger={trigger}
      aria-haspopup="menu"
      onKeyDown={(event) => {
        if (event.key !== 'ArrowDown' || event.currentTarget.ariaExpanded === 'true') return
        event.preventDefault()
        event.currentTarget.click()
      }}
    >
      {(close) => <Items label={label} groups={groupsOf()} close={close} />}
    </PopoverMenu>
  )
}

interface ItemsProps {
  label: string
  groups: MenuItem[][]
  close: () => void
}

function Items({ label, groups, close }: ItemsProps) {
  const list = useRef<HTMLDivElement>(null)
  const items = () => [...(list.current?.querySelectorAll<HTMLElement>('[role=menuitem]') ?? [])]
  useLayoutEffect(() => {
    list.current?.querySelector<HTMLElement>('[role=menuitem]')?.focus({ preventScroll: true })
  }, [])
  const onKeyDown = (event: KeyboardEvent) => {
    const all = items()
    const from = all.indexOf(event.target as HTMLElement)
    const to = goalOf(event.key, from, all.length) ?? indexOfLetter(event, all, from)
    if (to === null) return
    event.preventDefault()
    all[to]?.focus()
  }
  return (
    <div ref={list} role="menu" aria-label={label} onKeyDown={onKeyDown}>
      {groups.map((group, i) => (
        <Fragment key={group[0]?.name}>
          {i > 0 ? <hr className="my-1" /> : null}
          {group.map((item) => (
            <Item key={item.name} item={item} close={close} />
          ))}
        </Fragment>
      ))}
    </div>
  )
}

function Item({ item, close }: { item: MenuItem; close: () => void }) {
  const { name, keys = [], ariaKeys, refusal, onChoose } = item
  const refusalId = useId()
  return (
    <>
      <button
        type="button"
        role="menuitem"
        tabIndex={-1}
        aria-describedby={refusal ? refusalId : undefined}
        aria-disabled={refusal ? true : undefined}
        aria-keyshortcuts={ariaKeys}
        className={cn(
          menuItemClass,
          'justify-between gap-x-6 -outline-offset-2 focus:bg-sunken aria-disabled:opacity-55',
        )}
        onClick={() => {
          if (refusal) return
          close()
          onChoose()
        }}
      >
        {name}
        {keys.length > 0 ? (
          <span aria-hidden className="flex shrink-0 gap-1 max-sm:hidden">
            {keys.map((key) => (
              <Kbd key={key}>{key}</Kbd>
            ))}
          </span>
        ) : null}
      </button>
      {refusal ? (
        <div id={refusalId} className="px-2.5 pb-1.5 text-xs text-muted">
          {refusal}
        </div>
      ) : null}
    </>
  )
}

/** The index of the next item that begins with the pressed letter, or null. */
function indexOfLetter({ key, ctrlKey, metaKey, altKey }: KeyboardEvent, all: HTMLElement[], from: number) {
  if (key.length > 1 || key === ' ' || ctrlKey || metaKey || altKey) return null
  const following = [...all.slice(from + 1), ...all.slice(0, from + 1)]
  const found = following.find((item) => item.textContent?.toLowerCase().startsWith(key.toLowerCase()))
  return found ? all.indexOf(found) : null
}

/** The index of the item that the key moves to, or null. */
function goalOf(key: string, from: number, count: number): number | null {
  switch (key) {
    case 'ArrowDown':
      return (from + 1) % count
    case 'ArrowUp':
      return (from - 1 + count) % count
    case 'Home':
      return 0
    case 'End':
      return count - 1
    default:
      return null
  }
}
