import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'

const guide = await readFile(new URL('../../docs/guides/webhooks.md', import.meta.url), 'utf8')

const blocks = [...guide.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(
  ([, language, text]) => ({ language, text }) as { language: string; text: string },
)

/** The one block of code of the guide in this language that contains this. */
export function guideBlock(language: string, containing = ''): string {
  const found = blocks.filter((block) => block.language === language && block.text.includes(containing))
  assert.equal(found.length, 1, `blocks of ${language} with “${containing}” in the guide`)
  return found[0]?.text as string
}

/** What the guide shows as the secret of the endpoint that it makes. */
export const guideSecret = /"secret":"(whsec_[^"…]+)"/.exec(guide)?.[1] as string
