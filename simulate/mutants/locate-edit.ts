import type { Edit } from './mutant.ts'

/*
 * Locates an edit by its text, and by the declaration around it if the text occurs more than once. So source files can
 * move and be reformatted.
 */

export interface EditLocation {
  file: string
  start: number
  end: number
}

/** @throws unless the text occurs exactly once. `sources` are texts by path. */
export function locateEdit({ find, within }: Edit, sources: ReadonlyMap<string, string>): EditLocation {
  const pattern = patternOf(find)
  const found: EditLocation[] = []
  for (const [file, text] of sources) {
    for (const [from, to] of within === null ? [[0, text.length]] : declarations(text, within)) {
      for (const match of text.slice(from, to).matchAll(pattern)) {
        const start = (from as number) + match.index
        found.push({ file, start, end: start + match[0].length })
      }
    }
  }
  const [location] = found
  if (location !== undefined && found.length === 1) return location
  const where = within === null ? 'the source' : `the declaration ${within}`
  const files = found.map(({ file }) => `\n  ${file}`).join('')
  throw new Error(`${find} occurs ${found.length} times in ${where}, not once${files}`)
}

const patternOf = (find: string): RegExp =>
  new RegExp(find.trim().split(/\s+/).map(RegExp.escape).join('\\s+'), 'g')

/** Each top-level declaration of this name, up to the next unindented line that starts with a letter or a comment. */
function* declarations(text: string, name: string): Generator<[from: number, to: number]> {
  const declared = new RegExp(
    `^(?:export )?(?:default )?(?:abstract )?(?:async )?(?:function\\*?|class|const|let) ${RegExp.escape(name)}\\b`,
    'gm',
  )
  for (const { index } of text.matchAll(declared)) {
    const length = text.slice(index).search(/\n(?=[a-z]|\/[*/])/)
    yield [index, length === -1 ? text.length : index + length]
  }
}
