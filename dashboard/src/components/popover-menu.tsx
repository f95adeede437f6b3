import {
  type CSSProperties,
  type ReactNode,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { Button, type ButtonProps } from './button.tsx'

interface PopoverMenuProps extends Omit<ButtonProps, 'children'> {
  /** What the button shows. */
  trigger: ReactNode
  /** Gets a function that closes the menu and returns the focus to the button. */
  children: (close: () => void) => ReactNode
  /** The position of the panel. */
  side?: 'below' | 'above'
}

/** A button that opens a menu. The menu closes on Escape, on an outside click, and when the focus leaves. */
export function PopoverMenu({ trigger, children, side = 'below', ...props }: PopoverMenuProps) {
  const [place, setPlace] = useState<CSSProperties | null>(null)
  const isOpen = place !== null
  const ref = useRef<HTMLDivElement>(null)
  const button = useRef<HTMLButtonElement>(null)
  const panel = useRef<HTMLDivElement>(null)
  const id = useId()
  // The width is known only after the panel is rendered.
  useLayoutEffect(() => {
    if (isOpen && button.current) setPlace(placeBeside(button.current, side, panel.current?.offsetWidth))
  }, [isOpen, side])
  useEffect(() => {
    if (!isOpen) return
    const close = () => setPlace(null)
    const follow = () =>
      setPlace(button.current && placeBeside(button.current, side, panel.current?.offsetWidth))
    const onElsewhere = ({ target }: Event) => {
      if (!ref.current?.contains(target as Node)) close()
    }
    const onKey = ({ key }: KeyboardEvent) => {
      if (key !== 'Escape') return
      close()
      button.current?.focus()
    }
    addEventListener('pointerdown', onElsewhere)
    addEventListener('focusin', onElsewhere)
    addEventListener('keydown', onKey)
    addEventListener('scroll', follow, { capture: true, passive: true })
    addEventListener('resize', follow)
    return () => {
      removeEventListener('pointerdown', onElsewhere)
      removeEventListener('focusin', onElsewhere)
      removeEventListener('keydown', onKey)
      removeEventListener('scroll', follow, { capture: true })
      removeEventListener('resize', follow)
    }
  }, [isOpen, side])
  const closeAndFocus = () => {
    setPlace(null)
    button.current?.focus()
  }
  return (
    <div ref={ref} className="relative min-w-0">
      <Button
        {...props}
        ref={button}
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setPlace(isOpen || !button.current ? null : placeBeside(button.current, side))}
      >
        {trigger}
      </Button>
      <div
        ref={panel}
        id={id}
        hidden={!isOpen}
        style={place ?? {}}
        className="fixed z-50 min-w-52 animate-appear overflow-y-auto rounded-xl border bg-surface p-1 shadow-lg"
      >
        {isOpen ? children(closeAndFocus) : null}
      </div>
    </div>
  )
}

const GAP_PX = 6
/** If less than this is below the button, the panel opens above it. */
const MIN_SPACE_BELOW_PX = 300

/** Positions the panel within the window, so that no scrolling container cuts it off. */
function placeBeside(button: HTMLElement, side: 'below' | 'above', width = 0): CSSProperties {
  const { top, bottom, left, right } = button.getBoundingClientRect()
  const { clientHeight } = document.documentElement
  const isBelow =
    side === 'below' && (clientHeight - bottom > MIN_SPACE_BELOW_PX || bottom < MIN_SPACE_BELOW_PX)
  return {
    ...(isBelow ? { top: bottom + GAP_PX } : { bottom: clientHeight - top + GAP_PX }),
    maxHeight: (isBelow ? clientHeight - bottom : top) - 2 * GAP_PX,
    left: side === 'above' ? left : Math.max(GAP_PX, right - width),
  }
}

export const menuItemClass =
  'flex w-full items-center gap-2 rounded-lg px-2.5 py-1.5 text-left text-ink hover:bg-sunken [&_svg]:size-4 [&_svg]:text-muted'
