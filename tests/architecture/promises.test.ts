import assert from 'node:assert/strict'
import { glob, readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

/*
 * A promise has an owner from the moment it is made (CONTRIBUTING.md, "Promises"). The linter finds those that nobody takes;
 * this finds those that are taken later, and may be rejected before: then they end the process.
 */

const SRC = fileURLToPath(new URL('../../src', import.meta.url))
const sources: { file: string; text: string }[] = []
for await (const name of glob('**/*.ts', { cwd: SRC })) {
  sources.push({ file: `src/${name}`, text: await readFile(`${SRC}/${name}`, 'utf8') })
}

/** A name that is waited for, alone or with others: what it stands for was made before. */
const AWAITED = /\bawait (?:this\.)?(#?\w+)\s*(?:[;)\]},]|$)/gm
const AWAITED_TOGETHER = /Promise\.(?:all|allSettled|any|race)\(\[([^\]]*)\]\)/g
/** With a handler, or never rejected, or a value. */
const SAFE =
  /^(?:withRejectionHandler\(|await\b|null\b|undefined\b|Promise\.(?:resolve|allSettled)\(|.*\.catch\()/s

test('what is awaited later than it is made has a handler from the start: withRejectionHandler(…)', () => {
  for (const { file, text } of sources) {
    for (const name of awaitedNames(text)) {
      for (const made of madeAs(text, name)) {
        assert.match(
          made,
          SAFE,
          `${file}: ${name} is awaited later than it is made; write withRejectionHandler(…)`,
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

test('no async function is given to who does not wait for it: events and timers', () => {
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

/** What the name is set to in this file: nothing where it is a parameter, which has an owner elsewhere. */
function madeAs(text: string, name: string): string[] {
  const assignment = new RegExp(
    `(?<![\\w.]|this\\.)(?:this\\.)?${name}(?:: [^=\\n]+)? = ([\\s\\S]*?)\\n`,
    'g',
  )
  return [...text.matchAll(assignment)].map(([, made]) => made as string)
}
