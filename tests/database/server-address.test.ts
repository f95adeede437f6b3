import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { parseServerAddress } from '../support/source/database.ts'

const folder = await mkdtemp(join(tmpdir(), 'claimkeeper-address-'))
after(() => rm(folder, { recursive: true }))
const file = join(folder, 'root.crt')
writeFileSync(file, 'a certificate')

/** What is verified of the server's certificate. */
function verificationOf(ssl: unknown): string {
  if (ssl === false) return 'not encrypted'
  const { ca, rejectUnauthorized, checkServerIdentity } = ssl as Record<string, unknown>
  const verified = rejectUnauthorized === false ? 'anyone' : checkServerIdentity ? 'certified' : 'named'
  return `${verified}${ca === undefined ? '' : ` by ${ca}`}`
}

const attemptsOf = (query: string): string[] => {
  const { config, fallback } = parseServerAddress(`postgres://u:p@h:1/db${query}`)
  return [config.ssl, ...(fallback === null ? [] : [fallback])].map(verificationOf)
}

describe('sslmode means what it means to libpq:', () => {
  const cases: Record<string, string[]> = {
    '': ['not encrypted'],
    '?sslmode=disable': ['not encrypted'],
    '?sslmode=allow': ['not encrypted', 'anyone'],
    '?sslmode=prefer': ['anyone', 'not encrypted'],
    '?sslmode=require': ['anyone'],
    '?sslmode=verify-ca': ['certified'],
    '?sslmode=verify-full': ['named'],
    '?sslmode=no-verify': ['anyone'],
    [`?sslmode=require&sslrootcert=${file}`]: ['certified by a certificate'],
    [`?sslmode=prefer&sslrootcert=${file}`]: ['certified by a certificate', 'not encrypted'],
    [`?sslmode=verify-ca&sslrootcert=${file}`]: ['certified by a certificate'],
    [`?sslrootcert=${file}&sslmode=verify-full`]: ['named by a certificate'],
    '?sslmode=verify-full&sslrootcert=system': ['named'],
    '?sslmode=require&uselibpqcompat=true': ['anyone'],
    '?sslmode=disable&sslmode=require': ['anyone'],
    '?sslmode=require&host=/var/run/postgresql': ['not encrypted'],
    '?ssl=true': ['named'],
    '?ssl=0': ['not encrypted'],
    '?ssl=no-verify': ['anyone'],
    '?sslnegotiation=direct': ['named'],
  }
  for (const [query, attempts] of Object.entries(cases))
    test(query || 'without one', () => {
      assert.deepEqual(attemptsOf(query), attempts)
    })

  test('what libpq refuses is refused', () => {
    for (const [query, why] of [
      ['sslmode=always', 'sslmode must be one of disable, allow, prefer, '],
      ['sslmode=require&sslrootcert=system', 'sslrootcert=system needs sslmode=verify-full'],
      ['sslmode=prefer&sslnegotiation=direct', 'sslnegotiation=direct needs sslmode=require'],
      [
        'sslmode=verify-ca&sslrootcert=/nowhere/root.crt',
        'sslrootcert names a file that cannot be read (ENOENT)',
      ],
    ] as const)
      assert.throws(
        () => parseServerAddress(`postgres://u:secret@h/db?${query}`),
        ({ name, message }: Error) =>
          name === 'OperatorError' && message.includes(why) && !message.includes('secret'),
      )
  })
})

test('the driver gets all other parameters unchanged, and unknown parameters are named', () => {
  const { config, ignored } = parseServerAddress(
    'postgres://u:p%40@h/db?sslmode=require&options=-c%20jit%3Doff&sslmod=disable&channel_binding=require&application_name=a+b',
  )
  assert.equal(
    config.connectionString,
    'postgres://u:p%40@h/db?options=-c%20jit%3Doff&sslmod=disable&channel_binding=require&application_name=a+b',
  )
  assert.deepEqual(ignored, ['sslmod', 'channel_binding'])
})

test('with a password among the parameters no parameter is named, because a name may be a part of the password', () => {
  const { ignored } = parseServerAddress('postgres://h/db?user=u&password=hun&ter2&sslmod=x')
  assert.deepEqual(ignored, ['the parameter at position 3', 'the parameter at position 4'])
})
