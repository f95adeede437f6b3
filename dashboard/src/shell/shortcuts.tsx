import { useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { COMMAND_KEY } from '../components/command-key.ts'
import { Dialog } from '../components/dialog.tsx'
import { Kbd } from '../components/kbd.tsx'
import { ACCOUNT_PAGES, MAIN_PAGES } from './navigation-items.ts'

const ALL_PAGES = [...MAIN_PAGES, ...ACCOUNT_PAGES]
/** The time for the second key of "g c". */
const CHORD_MS = 1200

/** Keyboard shortcuts: g and a letter, / for the list search, ? for this list. SearchEverything handles Ctrl-K. */
export function Shortcuts() {
  const [isShown, setShown] = useState(false)
  const navigate = useNavigate()
  useEffect(() => {
    let chordUntil = 0
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return
      if (document.querySelector('dialog:modal')) return
      const page = performance.now() < chordUntil && ALL_PAGES.find(({ key }) => key === event.key)
      chordUntil = event.key === 'g' ? performance.now() + CHORD_MS : 0
      if (page) void navigate({ to: page.to })
      else if (event.key === '/') focusSearch(event)
      else if (event.key === '?') setShown(true)
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [navigate])
  return (
    <Dialog open={isShown} onOpenChange={setShown} title="Keyboard shortcuts">
      <dl className="grid gap-2">
        {ALL_PAGES.map(({ to, name, key }) => (
          <Shortcut key={to} keys={['g', key]} does={name} />
        ))}
        <Shortcut keys={[COMMAND_KEY, 'K']} does="Search everything" />
        <Shortcut keys={['/']} does="Search the list" />
        <Shortcut keys={['?']} does="Show the shortcuts" />
      </dl>
      <h3 className="mt-4 mb-2 font-semibold">In the schema editor</h3>
      <dl className="grid gap-2">
        <Shortcut keys={[COMMAND_KEY, 'Z']} does="Undo the last edit" />
        <Shortcut keys={[COMMAND_KEY, 'Shift', 'Z']} does="Redo the last undone edit" />
        <Shortcut keys={['←', '→']} does="Move between the buttons of a node" />
      </dl>
    </Dialog>
  )
}

function Shortcut({ keys, does }: { keys: string[]; does: string }) {
  return (
    <div className="flex items-center justify-between gap-4">
      <dt>{does}</dt>
      <dd className="flex gap-1">
        {keys.map((key) => (
          <Kbd key={key}>{key}</Kbd>
        ))}
      </dd>
    </div>
  )
}

const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement && (target.isContentEditable || target.matches('input, textarea, select'))

function focusSearch(event: KeyboardEvent): void {
  const search = document.querySelector<HTMLInputElement>('input[type=search]')
  if (!search) return
  event.preventDefault()
  search.focus()
  search.select()
}
