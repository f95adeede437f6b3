import assert from 'node:assert/strict'
import { glob, readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

/*
 * Each promise has a rejection handler from the start (CONTRIBUTING.md, "Promises"). The linter finds promises that are never
 * awaited. These tests find promises that are awaited later: a rejection before then would end the process.
 */

const SRC = fileURLToPath(new URL('../../src', import.meta.url))
const sources: { file: string; text: string }[] = []
for await (const name of glob('**/*.ts', { cwd: SRC })) {
  sources.push({ file: `src/${name}`, text: await readFile(`${SRC}/${name}`, 'utf8') })
}

/** Names that are awaited, alone or together. Their promises were created before. */
const AWAITED = /\bawait (?:this\.)?(#?\w+)\s*(?:[;)\]},]|$)/gm
const AWAITED_TOGETHER = /Promise\.(?:all|allSettled|any|race)\(\[([^\]]*)\]\)/g
/** Expressions that have a handler, never reject, or are values. */
const SAFE =
  /^(?:withRejectionHandler\(|await\b|null\b|undefined\b|Promise\.(?:resolve|allSettled)\(|.*\.catch\()/s

test('a promise that is awaited after its creation has a handler from the start: withRejectionHandler(…)', () => {
  for (const { file, text } of sources) {
    for (const name of awaitedNames(text)) {
      for (const made of madeAs(text, name)) {
        assert.match(
          made,
          SAFE,
          `${file}: ${name} is awaited after its creation. Use withRejectionHandler(…).`,
        )
      }
    }
  }
})

test('each promise that is not awaited has a rejection handler: void withRejectionHandler(…), or .catch(…)', () => {
  for (const { file, text } of sources) {
    for (const [found] of text.matchAll(/(?:^|[;{(]|=> )\s*void (?!\|)[a-z].*$/gm)) {
      assert.match(found, /void withRejectionHandler\(|\.catch\(/, `${file}: ${found.trim()}`)
    }
  }
})

test('no async function is passed as a listener or to a timer, which do not await it', () => {
  const unhandled =
    /\.(?:on|once|addListener|addEventListener)\(\s*[^,()]+,\s*async\b|\bset(?:Timeout|Interval|Immediate)\(\s*async\b/
  for (const { file, text } of sources) assert.doesNotMatch(text, unhandled, file)
})

function awaitedNames(text: string): Set<string> {
  const alone = text.matchAll(AWAITED).map(([, name]) => name as string)
  const together = text
    .matchAll(AWAITED_TOGETHER)
    .flatMap(([, names]) => (names as string).split(',').map((name) => name.trim()))
  return new Set([...alone, ...together].filter((name) => /^#?\w+$/.test(name)))
}

/** The values that are assigned to the name in this file. None for a parameter, whose caller handles rejections. */
function madeAs(text: string, name: string): string[] {
  const assignment = new RegExp(
    `(?<![\\w.]|this\\.)(?:this\\.)?${name}(?:: [^=\\n]+)? = ([\\s\\S]*?)\\n`,
    'g',
  )
  return [...text.matchAll(assignment)].map(([, made]) => made as string)
}
