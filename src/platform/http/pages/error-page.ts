import { ERRORS } from '../../../kernel/error-catalogue.ts'
import type { ErrorCode } from '../../../kernel/errors.ts'
import { page } from './page.ts'

/** The page behind an error's doc_url: what happened, and what to do about it. */
export function errorPage(code: ErrorCode): string {
  const { status, type, title, help } = ERRORS[code]
  const others = Object.keys(ERRORS)
    .map((name) => (name === code ? `<li>${name}</li>` : `<li>${linkTo(name)}</li>`))
    .join('')
  return page(
    code,
    `<main>
<h1><code>${code}</code></h1>
<p class="status">HTTP ${status} · <code>${type}</code></p>
<p><strong>${toHtml(title)}</strong></p>
<p>${toHtml(help)}</p>
</main>
<nav><p><a href="/docs">API reference</a> · <a href="/docs/specification">Specification</a> · <a href="/docs/errors">All error codes</a>:</p><ul>${others}</ul></nav>`,
  )
}

/** The page of all error codes. */
export function errorsPage(): string {
  const rows = Object.entries(ERRORS).map(
    ([code, { status, title }]) =>
      `<dt>${linkTo(code)} <span class="status">HTTP ${status}</span></dt><dd>${toHtml(title)}</dd>`,
  )
  return page(
    'Error codes',
    `<main>
<h1>Error codes</h1>
<dl>${rows.join('\n')}</dl>
</main>
<nav><p><a href="/docs">API reference</a> · <a href="/docs/specification">Specification</a></p></nav>`,
  )
}

const linkTo = (code: string) => `<a href="/docs/errors/${code}">${code}</a>`

/** The catalogue's texts use backticks for code. */
function toHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll(/`([^`]*)`/g, '<code>$1</code>')
}
