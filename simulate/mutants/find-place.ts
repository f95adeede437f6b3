import type { Edit } from './mutant.ts'

/*
 * Finds the place of a planted defect by its text, and where that is not enough by the declaration around it. So a file
 * can move and be reformatted. A place that is gone, or that has a twin, is an error.
 */

export interface Place {
  file: string
  start: number
  end: number
}

/** @throws if the text has no place, or several. `sources` are texts by their paths. */
export function findPlace({ find, within }: Edit, sources: ReadonlyMap<string, string>): Place {
  const pattern = patternOf(find)
  const places: Place[] = []
  for (const [file, text] of sources) {
    for (const [from, to] of within === null ? [[0, text.length]] : declarations(text, within)) {
      for (const match of text.slice(from, to).matchAll(pattern)) {
        const start = (from as number) + match.index
        places.push({ file, start, end: start + match[0].length })
      }
    }
  }
  const [place] = places
  if (place !== undefined && places.length === 1) return place
  const where = within === null ? 'the source' : `a declaration ${within}`
  throw new Error(
    `${where} has ${places.length} places like ${find}${places.map(({ file }) => `\n  ${file}`).join('')}`,
  )
}

const patternOf = (find: string): RegExp =>
  new RegExp(find.trim().split(/\s+/).map(RegExp.escape).join('\\s+'), 'g')

/** From each top-level declaration of this name to the next line that begins at the margin with a letter or a comment. */
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
