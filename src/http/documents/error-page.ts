import { ERRORS, type ErrorCode } from '../../errors.ts'

const STYLE = `
  :root { color-scheme: light dark; font: 16px/1.6 system-ui, sans-serif; }
  body { max-width: 42rem; margin: 3rem auto; padding: 0 1.25rem; }
  h1 { font-size: 1.4rem; overflow-wrap: anywhere; }
  code { font-family: ui-monospace, monospace; font-size: 0.95em; background: color-mix(in srgb, currentColor 10%, transparent); padding: 0.1em 0.35em; border-radius: 0.3em; }
  .status { color: color-mix(in srgb, currentColor 65%, transparent); }
  dt { margin-top: 1rem; font-weight: 600; overflow-wrap: anywhere; }
  dt .status { font-weight: 400; }
  dd { margin: 0; }
  nav { margin-top: 2.5rem; font-size: 0.9rem; }
  nav ul { padding-left: 1.1rem; columns: 18rem; }
  a { color: inherit; }`

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
<nav><p><a href="/docs">API reference</a> · <a href="/docs/errors">All error codes</a>:</p><ul>${others}</ul></nav>`,
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
<nav><p><a href="/docs">API reference</a></p></nav>`,
  )
}

const linkTo = (code: string) => `<a href="/docs/errors/${code}">${code}</a>`

const page = (title: string, body: string) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} – Claimkeeper</title>
<style>${STYLE}</style>
</head>
<body>
${body}
</body>
</html>
`

/** The catalogue's texts use backticks for code. */
function toHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll(/`([^`]*)`/g, '<code>$1</code>')
}
