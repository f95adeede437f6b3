import { randomBytes } from 'node:crypto'
import { hashToken } from '../../support/source/accounts.ts'
import type { Attack, Target } from '../attack.ts'
import { flood, post, request } from '../requests.ts'
import type { Stage } from '../stage.ts'

const KNOWN = 200
const MANY = 12_000
const tokenOf = (seed: string, number: number) => `ck_${seed}${`${number}`.padStart(43 - seed.length, '0')}`
const PASSWORD = 'correct horse battery'
const random = () => randomBytes(32).toString('base64url')

/** Requests from 50 addresses of the loopback network: limits of one address do not meet them. */
const fromEverywhere = (
  connections: number,
  render: (target: Target, number: number) => string,
): Attack['run'] => {
  const addresses = 50
  return async (target, signal) => {
    let number = 0
    const oneAddress = (address: number) =>
      flood(target, signal, { connections: connections / addresses, from: `127.0.0.${10 + address}` }, () =>
        render(target, number++),
      )
    await Promise.all(Array.from({ length: addresses }, (_, i) => oneAddress(i)))
  }
}

async function knownEmails(stage: Stage): Promise<Record<string, string>> {
  const name = randomBytes(4).toString('hex')
  const { Passwords } = await import('../../../src/accounts/passwords.ts')
  await stage.sql.query(
    `WITH added AS (
       INSERT INTO users (id, email, created_at)
       SELECT gen_random_uuid(), $1 || n || '@example.com', now() FROM generate_series(0, $2::int - 1) n RETURNING id)
     INSERT INTO credentials (id, user_id, provider_id, account_id, password, created_at, updated_at)
     SELECT gen_random_uuid(), id, 'credential', id, $3, now(), now() FROM added`,
    [name, KNOWN, await new Passwords().hash(PASSWORD)],
  )
  return { name }
}

const signIn = (target: Target, email: string) =>
  post(target, '/api/auth/sign-in/email', { email, password: random() }, { token: null })

export const signInAttacks: Attack[] = [
  {
    name: 'sign-in-unknown',
    description: '100 connections from 50 addresses try passwords for emails that nobody has',
    run: fromEverywhere(100, (target, number) => signIn(target, `nobody-${number}@example.com`)),
  },
  {
    name: 'sign-in-known',
    description: '100 connections from 50 addresses try passwords for 200 accounts',
    prepare: knownEmails,
    run: fromEverywhere(100, (target, number) =>
      signIn(target, `${target.prepared.name}${number % KNOWN}@example.com`),
    ),
  },
  {
    name: 'sign-in-one-address',
    description: '64 connections from one address try passwords',
    prepare: knownEmails,
    run: (target, signal) =>
      flood(target, signal, { connections: 64 }, (number) =>
        signIn(target, `${target.prepared.name}${number % KNOWN}@example.com`),
      ),
  },
  {
    name: 'sign-in-right',
    description:
      '100 connections from 50 addresses sign in to 200 accounts with the right password, and so open sessions',
    prepare: knownEmails,
    run: fromEverywhere(100, (target, number) => {
      const email = `${target.prepared.name}${number % KNOWN}@example.com`
      return post(target, '/api/auth/sign-in/email', { email, password: PASSWORD }, { token: null })
    }),
  },
  {
    name: 'sign-up',
    description: '100 connections from 50 addresses sign up with random keys',
    run: fromEverywhere(100, (target, number) =>
      post(
        target,
        '/api/auth/sign-up/email',
        {
          email: `new-${number}-${random()}@example.com`,
          name: 'x',
          password: random(),
          invitation: random(),
        },
        { token: null },
      ),
    ),
  },
  {
    name: 'invitations',
    description: '100 connections from 50 addresses look up random invitations without a token',
    run: fromEverywhere(100, (target) =>
      post(target, '/api/invitations/lookup', { key: random() }, { token: null }),
    ),
  },
  {
    name: 'random-tokens',
    description: '64 connections try random tokens, each of which is looked up',
    run: (target, signal) =>
      flood(target, signal, { connections: 64, depth: 8 }, () =>
        request(target, 'GET', '/v1/me', { token: `ck_${random()}` }),
      ),
  },
  {
    name: 'many-tokens',
    description: '64 connections use 12,000 tokens of one account by turns: more than a server remembers',
    prepare: async (stage) => {
      const seed = randomBytes(8).toString('hex')
      const hashes = Array.from({ length: MANY }, (_, number) => hashToken(tokenOf(seed, number)))
      await stage.sql.query(
        `INSERT INTO api_tokens (id, user_id, name, token_hash, created_at)
         SELECT gen_random_uuid(), $1, 'one of many', hash, now() FROM unnest($2::bytea[]) AS hash`,
        [stage.account.userId, hashes],
      )
      return { seed }
    },
    run: (target, signal) =>
      flood(target, signal, { connections: 64, depth: 4 }, (number) => {
        const token = tokenOf(target.prepared.seed as string, number % MANY)
        return request(target, 'GET', '/v1/me', { token })
      }),
  },
  {
    name: 'random-cookies',
    description: '64 connections try random cookies of a session, signed and not',
    run: (target, signal) =>
      flood(target, signal, { connections: 64, depth: 4 }, (number) => {
        const name = number % 2 === 0 ? 'claimkeeper.session_token' : '__Host-claimkeeper.session_token'
        const headers = {
          Cookie: `${name}=${random()}.${encodeURIComponent(randomBytes(32).toString('base64'))}`,
        }
        const path = number % 3 === 0 ? '/api/auth/get-session' : '/v1/me'
        return request(target, 'GET', path, { token: null, headers })
      }),
  },
]
