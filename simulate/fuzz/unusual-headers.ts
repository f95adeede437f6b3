import type { Random } from '../random.ts'
import type { Operation } from './api-document.ts'
import { randomUuid } from './random-values.ts'

export function unusualHeaders({ bodies }: Operation, random: Random): Record<string, string> {
  if (random.chance(0.7)) return {}
  const odd: Record<string, string>[] = [
    {
      Prefer: random.pick([
        'return=minimal',
        'return="minimal", wait=1',
        'return=representation',
        ';;',
        'x'.repeat(2_000),
      ]),
    },
    { Accept: random.pick(['text/html', '*/*', 'application/xml', 'q=;', '']) },
    { 'If-None-Match': random.pick(['*', '"x"', 'W/"x"', 'x', '"x", ,W/"y"']) },
    { 'If-Match': random.pick(['*', '"x"', 'W/"x"', '*, "x"', '"', '"x",'.repeat(1_000)]) },
    {
      'Idempotency-Key': random.pick([
        randomUuid(random),
        'same',
        '',
        'a b',
        'x'.repeat(201),
        '"quoted"',
        'ä',
      ]),
    },
    { Range: 'bytes=0-1' },
    { Origin: random.pick(['null', 'https://other.example', 'x', '']) },
    { 'X-Request-Id': 'mine' },
    { 'X-HTTP-Method-Override': 'DELETE' },
    { 'X-Forwarded-Host': 'evil.example', 'X-Forwarded-Proto': 'javascript' },
    { 'Accept-Encoding': random.pick(['gzip, br', 'zstd', '*', 'gzip;q=0.1', ';q=', 'x'.repeat(1_000)]) },
    { TE: 'trailers', 'Accept-Language': 'xx' },
  ]
  const onBodies =
    Object.keys(bodies).length > 0
      ? [{ 'Content-Encoding': random.pick(['gzip', 'identity', 'br, gzip']) }]
      : []
  return random.pick([...odd, ...onBodies])
}
