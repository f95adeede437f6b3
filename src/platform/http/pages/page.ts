/**
 * The headers of pages and their resources. Pages of other sites get no reference to the window (COOP), and cannot embed the page or its
 * resources (CORP).
 */
export const pageHeaders = (policy: string) => ({
  'Content-Security-Policy': policy,
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
})

const STYLE = `
  :root { color-scheme: light dark; font: 16px/1.6 system-ui, sans-serif; }
  body { overflow-wrap: break-word; max-width: 42rem; margin: 3rem auto; padding: 0 1.25rem; }
  h1 { font-size: 1.4rem; overflow-wrap: anywhere; }
  code { font-family: ui-monospace, monospace; font-size: 0.95em; background: color-mix(in srgb, currentColor 10%, transparent); padding: 0.1em 0.35em; border-radius: 0.3em; }
  .status { color: color-mix(in srgb, currentColor 65%, transparent); }
  dt { margin-top: 1rem; font-weight: 600; overflow-wrap: anywhere; }
  dt .status { font-weight: 400; }
  dd { margin: 0; }
  nav { margin-top: 2.5rem; font-size: 0.9rem; }
  nav ul { padding-left: 1.1rem; columns: 18rem; }
  a { color: inherit; }
  h2, h3 { margin-top: 2.5rem; }
  h2 { font-size: 1.2rem; }
  h3 { font-size: 1rem; }
  pre { overflow-x: auto; padding: 0.75rem 1rem; border-radius: 0.3em; background: color-mix(in srgb, currentColor 10%, transparent); }
  pre code { background: none; padding: 0; }
  .table { overflow-x: auto; }
  table { border-collapse: collapse; font-size: 0.9rem; }
  th, td { padding: 0.35rem 0.75rem 0.35rem 0; text-align: left; vertical-align: top; border-bottom: 1px solid color-mix(in srgb, currentColor 15%, transparent); }`

/** A page of text, with nothing on it that is loaded. */
export const page = (title: string, body: string) => `<!doctype html>
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
