import type { KeyboardEvent } from 'react'
import { COMMAND_KEY, IS_MAC } from '../components/command-key.ts'
import type { BuilderContextValue } from './builder-context.ts'
import type { BuilderNode } from './builder-node.ts'
import { nodeActions, type Shortcut } from './node-actions.ts'

const SIGNS: Readonly<Record<string, string>> = {
  Enter: '↵',
  ArrowUp: '↑',
  ArrowDown: '↓',
  Backspace: '⌫',
}

/** The keys of a shortcut, as they are shown. */
export const shortcutKeys = (shortcut: Shortcut): string[] => [
  COMMAND_KEY,
  ...shortcut.split(' ').map((key) => SIGNS[key] ?? key),
]

/** For `aria-keyshortcuts`. */
export const ariaShortcut = (shortcut: Shortcut): string =>
  [IS_MAC ? 'Meta' : 'Control', ...shortcut.split(' ')].join('+')

/** Handles the shortcuts of the innermost node with the focus. */
export function onNodeKey(
  event: KeyboardEvent,
  node: BuilderNode,
  { root, kind, change }: BuilderContextValue,
): void {
  const pressed = shortcutIn(event)
  if (!pressed || event.isDefaultPrevented() || event.nativeEvent.isComposing) return
  // Also where the edit is not possible: the browser must not submit the form.
  event.preventDefault()
  const action = nodeActions(root, node, kind)
    .flat()
    .find(({ shortcut }) => shortcut === pressed)
  if (action && !action.refusal) change(action.root, { focus: action.focus })
}

function shortcutIn({ ctrlKey, metaKey, altKey, shiftKey, key }: KeyboardEvent): Shortcut | null {
  const isCommand = IS_MAC ? metaKey && !ctrlKey : ctrlKey && !metaKey
  if (!isCommand || altKey) return null
  const pressed = shiftKey ? `Shift ${key}` : key
  return ALL.find((shortcut) => shortcut === pressed) ?? null
}

const ALL: readonly Shortcut[] = ['Enter', 'Shift ArrowUp', 'Shift ArrowDown', 'Shift Backspace']
