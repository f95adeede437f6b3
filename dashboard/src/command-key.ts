/** A Mac's shortcuts are with Cmd, and its text fields have a use for Ctrl of their own. */
export const IS_MAC = /Mac|iPhone|iPad/.test(navigator.platform)

export const COMMAND_KEY = IS_MAC ? '⌘' : 'Ctrl'
