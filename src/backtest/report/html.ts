/** Text that is HTML already; everything else is escaped. */
export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

type Value = Html | string | number | null | readonly Value[]

/** Builds HTML from a template: every value that is not HTML itself is escaped, so a log cannot write markup. */
export function html(parts: TemplateStringsArray, ...values: Value[]): Html {
  return new Html(parts.reduce((text, part, i) => text + rendered(values[i - 1] as Value) + part))
}

function rendered(value: Value): string {
  if (value instanceof Html) return value.text
  if (Array.isArray(value)) return value.map(rendered).join('')
  return value === null ? '' : escaped(String(value))
}

const ESCAPES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

const escaped = (text: string) => text.replace(/[&<>"']/g, (character) => ESCAPES[character] as string)
