import type { Json, JsonObject } from '../../kernel/json.ts'

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],]/gs

/** A key that an object of the text has twice; null if there is none. `JSON.parse` keeps the last value of such a key. */
export function repeatedKey(text: string, value: JsonObject): string | null {
  return mayRepeatKey(text, value) ? findRepeatedKey(text) : null
}

/** Whether a key occurs more often in the text than in the value. Cheap: it runs for each row. */
function mayRepeatKey(text: string, value: JsonObject): boolean {
  if (text.includes('\\')) return true
  for (const key in value) {
    const nested = value[key] as Json
    if (typeof nested === 'object' && nested !== null) return true
    const quoted = `"${key}"`
    if (text.indexOf(quoted, text.indexOf(quoted) + 1) !== -1) return true
  }
  return false
}

function findRepeatedKey(text: string): string | null {
  const open: (Set<string> | null)[] = []
  let isKey = false
  for (const [token] of text.matchAll(TOKEN)) {
    if (token === '{' || token === '[') open.push(token === '{' ? new Set() : null)
    else if (token === '}' || token === ']') open.pop()
    const keys = open.at(-1)
    if (!token.startsWith('"')) isKey = token === '{' || token === ','
    else if (isKey && keys) {
      const key = JSON.parse(token) as string
      if (keys.has(key)) return key
      keys.add(key)
      isKey = false
    }
  }
  return null
}
