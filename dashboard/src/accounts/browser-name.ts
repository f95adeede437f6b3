const BROWSERS = [
  ['Edge', /\bEdg/],
  ['Firefox', /\bFirefox\//],
  ['Chrome', /\b(?:Headless)?Chrome\//],
  ['Safari', /\bSafari\//],
  ['curl', /^curl\//],
] as const

const SYSTEMS = [
  ['Android', /\bAndroid\b/],
  ['iPhone', /\biPhone\b/],
  ['Windows', /\bWindows\b/],
  ['macOS', /\bMac OS X\b/],
  ['Linux', /\bLinux\b/],
] as const

/** "Firefox on Linux": precise enough to recognise a session. */
export function browserName(userAgent: string | null | undefined): string {
  const find = (names: readonly (readonly [string, RegExp])[]) =>
    names.find(([, pattern]) => pattern.test(userAgent ?? ''))?.[0]
  const system = find(SYSTEMS)
  return `${find(BROWSERS) ?? 'A browser'}${system ? ` on ${system}` : ''}`
}
