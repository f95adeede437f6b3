export interface Request {
  method: string
  /** With the query. */
  path: string
  headers: Record<string, string>
  body: Buffer<ArrayBuffer> | null
}

export interface HttpResponse {
  status: number
  /** Names in lower case. */
  headers: Record<string, string | string[] | undefined>
  text: string
}

const SHOWN_BYTES = 4_000

/** A shell command that repeats the request. */
export function toCurl({ method, path, headers, body }: Request, url: string): string {
  const given = Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`)
  const how = method === 'HEAD' ? '--head' : `-X ${method}`
  return ['curl -i --path-as-is', how, ...given, ...bodyOf(body), quoted(url + path)].join(' ')
}

function bodyOf(body: Buffer | null): string[] {
  if (body === null) return []
  if (body.length > SHOWN_BYTES)
    return [`--data-binary @<${body.length} bytes, from: ${quoted(body.toString('utf8', 0, 200))}>`]
  const text = body.toString('utf8')
  const isText = Buffer.from(text).equals(body) && !text.includes('\0')
  return [
    isText
      ? `--data-binary ${quoted(text)}`
      : `--data-binary @<(echo ${body.toString('base64')} | base64 -d)`,
  ]
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`
