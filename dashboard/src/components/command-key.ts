/** On a Mac, shortcuts use Cmd, because text fields use Ctrl. */
export const IS_MAC = /Mac|iPhone|iPad/.test(navigator.platform)

export const COMMAND_KEY = IS_MAC ? '⌘' : 'Ctrl'
