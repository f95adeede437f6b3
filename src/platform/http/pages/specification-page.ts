import { readFileSync } from 'node:fs'
import { Marked } from 'marked'
import { packageFile } from '../../../installed-files.ts'
import { page } from './page.ts'

/** From the sources and from the npm package's dist/ it is at the same place. */
const SPECIFICATION = packageFile('docs/spec.md')

/** The specification as a page. Its sections are found by their numbers: `#2.1` is §2.1. */
export function specificationPage(): string {
  const contents: string[] = []
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text }) {
        const number = /^[0-9.]*[0-9]/.exec(text)?.[0]
        if (number === undefined) return `<h${depth}>${this.parser.parseInline(tokens)}</h${depth}>\n`
        contents.push(`<li><a href="#${number}">${text}</a></li>`)
        return `<h${depth} id="${number}">${this.parser.parseInline(tokens)}</h${depth}>\n`
      },
      link({ href, text }) {
        return `<a href="${href === 'errors.md' ? '/docs/errors' : href}">${text}</a>`
      },
    },
  })
  const body = linkSections(marked.parse(readFileSync(SPECIFICATION, 'utf8'), { async: false }))
  return page(
    'Specification',
    `<nav><p><a href="/docs">API reference</a> · <a href="/docs/errors">All error codes</a></p>
<ul>${contents.join('')}</ul></nav>
<main>
${body}</main>`,
  )
}

const linkSections = (html: string) =>
  html
    .replaceAll(/§([0-9]+(?:\.[0-9]+)?)/g, '<a href="#$1">§$1</a>')
    .replaceAll('<table>', '<div class="table"><table>')
    .replaceAll('</table>', '</table></div>')
