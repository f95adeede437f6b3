import assert from 'node:assert/strict'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { describe, test } from 'node:test'
import { queryObjects } from 'node:v8'
import type { AttemptResult } from '../../src/webhooks/webhook-client.ts'
import { eventually } from '../support/eventually.ts'
import { startRawServer } from '../support/raw-server.ts'
import { WebhookClient } from '../support/source/webhooks.ts'
import type { Scope } from '../support/test-database.ts'

/* What receivers answer, or do not: each attempt ends in time, with an answer that can be stored, and leaves nothing behind. */

const LONG_TIMEOUT_MS = 60_000
/** For attempts that time out. */
const SHORT_TIMEOUT_MS = 700
const newClient = (t: Scope, attemptTimeoutMs = LONG_TIMEOUT_MS) => {
  const client = new WebhookClient({ allowPrivate: true, attemptTimeoutMs })
  t.after(() => client.stop())
  return client
}

/** What a client makes of a server that does this. */
async function sendTo(
  t: Scope,
  answer: (socket: Socket, request: string) => unknown,
  timeoutMs = LONG_TIMEOUT_MS,
  /** Until then more attempts are made: on a busy machine some end before what they wait for. */
  isEnough = (_: AttemptResult) => true,
) {
  const server = await startRawServer(t, answer)
  const client = newClient(t, timeoutMs)
  const send = async () => {
    const sent = await client.send(server.url, { 'Webhook-Id': 'some' }, '{}')
    assert.ok(sent)
    // On a busy machine later, but not never.
    assert.ok(sent.durationMs < timeoutMs + 30_000, `took ${sent.durationMs} ms`)
    return sent
  }
  const sent = await eventually(async () => {
    const one = await send()
    return isEnough(one) && one
  })
  return { server, send, sent }
}

const outcomeOf = ({ status, answer, error }: AttemptResult) => ({ status, answer, error })
const http = (status: string, body = '', headers = '') =>
  `HTTP/1.1 ${status}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n${headers}\r\n${body}`
const repeat = (socket: Socket, bytes: string | Buffer, everyMs: number) => {
  const timer = setInterval(() => socket.write(bytes), everyMs)
  socket.once('close', () => clearInterval(timer))
}
/** Writes on and on, as fast as it is read. */
function flood(socket: Socket, bytes: string | Buffer): void {
  const write = () => {
    while (!socket.destroyed && socket.write(bytes));
  }
  socket.on('drain', write)
  write()
}

const NO_ANSWER = { status: null, answer: null, error: `No answer within ${SHORT_TIMEOUT_MS / 1_000} s.` }
const CLOSED = { status: null, answer: null, error: 'The connection was closed without an answer.' }
const failed = (error: string) => ({ status: null, answer: null, error })

test('a finished attempt leaves no pending abort signal behind', async (t) => {
  const { send } = await sendTo(t, (socket) => socket.write(http('200 OK', 'so')))
  const before = queryObjects(AbortSignal, { format: 'count' })
  for (let i = 0; i < 20; i++) await send()
  const left = queryObjects(AbortSignal, { format: 'count' }) - before
  assert.ok(left < 10, `${left} of 20 attempts`)
})

describe('the status of a response', () => {
  const REDIRECT = 'The answer is a redirect (302), which is not followed.'
  for (const [status, error] of [
    ['200 OK', null],
    ['299 Fine', null],
    ['302 Found', REDIRECT],
    ['400 Bad Request', 'The answer is 400.'],
    ['410 Gone', 'The answer is 410.'],
    ['503 Busy', 'The answer is 503.'],
    ['999 What', 'The answer is 999.'],
  ] as const) {
    test(status, async (t) => {
      const { sent, server } = await sendTo(t, (socket) =>
        socket.write(http(status, 'so', `Location: http://127.0.0.1:1/\r\n`)),
      )
      assert.deepEqual(outcomeOf(sent), { status: Number(status.slice(0, 3)), answer: 'so', error })
      assert.equal(server.created, 1)
    })
  }

  test('the first KiB of a body is stored as valid text', async (t) => {
    const body = Buffer.concat([Buffer.from('a\0b\xff\xfe', 'latin1'), Buffer.alloc(5_000, 'x')])
    const { sent } = await sendTo(t, (socket) => {
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n`)
      socket.write(body)
    })
    assert.ok(sent.answer?.startsWith('a\ufffdb\ufffd\ufffdxxx'))
    assert.equal(sent.answer?.length, 1_024)
  })

  test('a stored body is not cut within a character', async (t) => {
    const { sent } = await sendTo(t, (socket) => socket.write(http('200 OK', `x${'🎉'.repeat(400)}`)))
    assert.equal(sent.answer, `x${'🎉'.repeat(255)}`)
  })

  test('consecutive attempts reuse connections', async (t) => {
    const { server, send } = await sendTo(t, (socket) => socket.write(http('200 OK', 'ok')))
    for (let i = 0; i < 20; i++) assert.equal((await send()).error, null)
    assert.ok(server.created <= 2, `${server.created} connections`)
  })

  const INTERIM = {
    'a 103': 'HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n',
    'a 100': 'HTTP/1.1 100 Continue\r\n\r\n',
    'a 100 without a reason': 'HTTP/1.1 100\r\n\r\n',
    'a 100 that names a protocol': 'HTTP/1.1 100 Continue\r\nUpgrade: some\r\nConnection: Upgrade\r\n\r\n',
    'several of several kinds':
      'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 199 Own\r\nX: y\r\n\r\n'.repeat(
        15,
      ),
  }
  for (const [what, interim] of Object.entries(INTERIM))
    test(`and not by ${what} before it, however it arrives, nor on a connection that is kept (§4.14 rule 2)`, async (t) => {
      const whole = await sendTo(t, (socket) => socket.write(interim + http('200 OK', 'ok')))
      const again = await whole.send()
      const { sent } = await sendTo(t, async (socket) => {
        for (const byte of interim + http('200 OK', 'ok'))
          await new Promise((sent) => socket.write(byte, sent))
      })
      for (const one of [whole.sent, again, sent])
        assert.deepEqual(outcomeOf(one), { status: 200, answer: 'ok', error: null })
    })

  test('if it repeats the same Content-Length', async (t) => {
    for (const lengths of ['Content-Length: 2\r\nContent-Length: 2', 'content-length: 2, 2'])
      for (const before of ['', 'HTTP/1.1 100 Continue\r\n\r\n']) {
        const head = `HTTP/1.1 503 Busy\r\n${lengths}\r\nRetry-After: 7\r\n\r\n`
        const { sent } = await sendTo(t, (socket) => socket.write(`${before}${head}ok`))
        assert.deepEqual(outcomeOf(sent), { status: 503, answer: 'ok', error: 'The answer is 503.' }, lengths)
        assert.equal(sent.retryAfterMs, 7_000)
      }
  })
})

describe('there is no answer', () => {
  test('in time', async (t) => {
    const { sent, server } = await sendTo(t, () => {}, SHORT_TIMEOUT_MS)
    assert.deepEqual(outcomeOf(sent), NO_ANSWER)
    await eventually(async () => server.sockets.size === 0)
  })

  test('if its head drips', async (t) => {
    const drip = (socket: Socket) => {
      socket.write('HTTP/1.1 200 OK\r\nX: ')
      repeat(socket, 'x', 20)
    }
    const { sent, server } = await sendTo(t, drip, SHORT_TIMEOUT_MS)
    assert.deepEqual(outcomeOf(sent), NO_ANSWER)
    await eventually(async () => server.sockets.size === 0)
  })

  test('if only interim answers come', async (t) => {
    const { sent, server } = await sendTo(t, (socket) =>
      flood(socket, 'HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n'.repeat(100)),
    )
    assert.deepEqual(
      outcomeOf(sent),
      failed('The receiver sent more than 100 interim answers (1xx), and no answer.'),
    )
    await eventually(async () => server.sockets.size === 0)
  })

  test('if the connection closes before it; the message says whether a part of it came', async (t) => {
    assert.deepEqual(outcomeOf((await sendTo(t, (socket) => socket.end())).sent), CLOSED)
    const cutOff = failed('The connection was closed before the answer was complete.')
    for (const part of ['HTTP/1.1 200 OK\r\nContent-Le', 'HTTP/1.1 100 Continue\r\n\r\n'])
      assert.deepEqual(outcomeOf((await sendTo(t, (socket) => socket.end(part))).sent), cutOff, part)
  })

  test('if the connection is reset', async (t) => {
    const { sent } = await sendTo(t, (socket) => socket.resetAndDestroy())
    assert.deepEqual(outcomeOf(sent), { status: null, answer: null, error: 'The connection was reset.' })
  })

  test('if nobody listens', async (t) => {
    const { url } = await startRawServer({ after: (release) => void release() }, () => {})
    const sent = await eventually(async () => {
      const one = await newClient(t).send(url, {}, '{}')
      return one?.error === 'The connection was refused.' && one
    })
    assert.deepEqual(outcomeOf(sent), { status: null, answer: null, error: 'The connection was refused.' })
  })

  // Versions of Node name the rules differently.
  const INVALID: [bytes: string, error: string | RegExp][] = [
    ['SSH-2.0-OpenSSH_9.6\r\n', 'The answer is not HTTP.'],
    ['\0\0\0\0\0\0', 'The answer is not HTTP.'],
    ['\x15\x03\x01\0\x02\x02\x46', 'The receiver speaks TLS. The URL has to begin with https:.'],
    ['HTTP/9.9 200 OK\r\n\r\n', /^The answer is not valid HTTP: .*version\.$/],
    ['HTTP/1.1 20\r\n\r\n', /^The answer is not valid HTTP: .*status code\.$/],
    [
      'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab',
      /^The answer is not valid HTTP: .*Content-Length.*\.$/,
    ],
    [
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\na',
      /^The answer is not valid HTTP: .*Transfer-Encoding.*\.$/,
    ],
  ]
  test('if it is not valid HTTP; the message says what is wrong', async (t) => {
    for (const [bytes, error] of INVALID) {
      const { sent, server } = await sendTo(t, (socket) => socket.write(bytes))
      if (typeof error === 'string') assert.equal(sent.error, error, bytes)
      else assert.match(sent.error ?? '', error, bytes)
      assert.deepEqual([sent.status, sent.answer], [null, null])
      await eventually(async () => server.sockets.size === 0)
    }
  })

  test('if its headers are too long, all together', async (t) => {
    const said = failed('The headers of the answer have more than 16 KiB.')
    for (const headers of [`X: ${'x'.repeat(100_000)}\r\n`, 'X: x\r\n'.repeat(20_000)]) {
      const { sent, server } = await sendTo(t, (socket) => socket.write(`HTTP/1.1 200 OK\r\n${headers}\r\n`))
      assert.deepEqual(outcomeOf(sent), said)
      await eventually(async () => server.sockets.size === 0)
    }
  })

  test('if the receiver switches to another protocol', async (t) => {
    const { sent, server } = await sendTo(t, (socket) =>
      socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: some\r\nConnection: Upgrade\r\n\r\n'),
    )
    const error = 'The receiver switched to another protocol (101), which was not asked for.'
    assert.deepEqual(outcomeOf(sent), failed(error))
    await eventually(async () => server.sockets.size === 0)
  })

  test('if the certificate is self-signed; the message says so', async (t) => {
    const server = createTlsServer({ key: KEY, cert: CERT }, (_request, response) => response.end())
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    t.after(() => server.close())
    const { port } = server.address() as AddressInfo
    const sent = (await newClient(t).send(`https://localhost:${port}/`, {}, '{}')) as AttemptResult
    assert.deepEqual(outcomeOf(sent), {
      status: null,
      answer: null,
      error: 'The certificate of the host is self-signed.',
    })
  })

  test('if the receiver does not speak TLS', async (t) => {
    for (const [answer, error] of [
      [(socket: Socket) => socket.write(http('200 OK')), /^The receiver does not speak TLS\./],
      [() => {}, /./],
    ] as const) {
      const server = await startRawServer(t, () => {})
      const { sockets, url } = server
      const sending = newClient(t, SHORT_TIMEOUT_MS).send(url.replace('http:', 'https:'), {}, '{}')
      for (const socket of await eventually(async () => sockets.size > 0 && [...sockets])) answer(socket)
      const sent = await sending
      assert.match(`${sent?.error}`, error)
      assert.equal(sent?.status, null)
      await eventually(async () => sockets.size === 0)
    }
  })
})

describe('a response with a slow or broken body', () => {
  const head = 'HTTP/1.1 200 OK\r\nContent-Length: 100000000\r\n\r\n'
  test('an attempt succeeds by its status even if the body drips', async (t) => {
    const drip = (socket: Socket) => {
      socket.write(head)
      repeat(socket, 'x', 20)
    }
    const { sent, server } = await sendTo(t, drip, SHORT_TIMEOUT_MS, ({ answer }) => Boolean(answer))
    assert.deepEqual([sent.status, sent.error], [200, null])
    assert.match(sent.answer as string, /^x+$/)
    await eventually(async () => server.sockets.size === 0)
  })

  test('an attempt succeeds by its status even if the body never comes', async (t) => {
    const { sent, server } = await sendTo(
      t,
      (socket) => socket.write(head),
      SHORT_TIMEOUT_MS,
      ({ status }) => status === 200,
    )
    assert.deepEqual(outcomeOf(sent), { status: 200, answer: '', error: null })
    await eventually(async () => server.sockets.size === 0)
  })

  test('an endless body is read up to the limit, and the connection is closed', async (t) => {
    let written = 0
    const { sent, server } = await sendTo(t, (socket) => {
      socket.on('close', () => {
        written = socket.bytesWritten
      })
      socket.write(head)
      flood(socket, Buffer.alloc(16_384, 'y'))
    })
    assert.deepEqual(outcomeOf(sent), { status: 200, answer: 'y'.repeat(1_024), error: null })
    assert.ok(sent.durationMs < 30_000, 'before its time is over')
    await eventually(async () => server.sockets.size === 0)
    assert.ok(written < 32 * 1_048_576, `${written} bytes`)
  })

  test('an attempt succeeds by its status even if the body is cut off or has another length', async (t) => {
    const chunked = 'HTTP/1.1 500 No\r\nTransfer-Encoding: chunked\r\n\r\n'
    for (const bytes of [`${chunked}2\r\nok\r\n`, `${chunked}2\r\nok\r\nzz\r\n`, `${chunked}2\r\nok\r\n`]) {
      const { sent } = await sendTo(t, (socket) => socket.end(bytes))
      assert.deepEqual(outcomeOf(sent), { status: 500, answer: 'ok', error: 'The answer is 500.' }, bytes)
    }
  })
})

describe('Retry-After', () => {
  const afterOf = async (t: Scope, value: string) =>
    (await sendTo(t, (socket) => socket.write(http('503 Busy', '', `Retry-After: ${value}\r\n`)))).sent
      .retryAfterMs

  test('Retry-After accepts seconds', async (t) => {
    for (const [value, ms] of [
      ['120', 120_000],
      ['0', 0],
      [' 7 ', 7_000],
      ['007', 7_000],
    ] as const)
      assert.equal(await afterOf(t, value), ms, value)
  })

  test('Retry-After accepts a date', async (t) => {
    const ms = await afterOf(t, new Date(Date.now() + 60_000).toUTCString())
    assert.ok(ms > 50_000 && ms <= 60_000, `${ms}`)
    assert.equal(await afterOf(t, new Date(Date.now() - 60_000).toUTCString()), 0)
  })

  test('is a date in UTC in its two old forms too, whatever the zone of the machine', async (t) => {
    const zone = process.env.TZ
    t.after(() => {
      if (zone === undefined) delete process.env.TZ
      else process.env.TZ = zone
    })
    process.env.TZ = 'America/New_York'
    const [, day = '', month = '', year = '', clock = ''] = new Date(Date.now() + 60_000)
      .toUTCString()
      .split(' ')
    for (const text of [
      `Sun ${month} ${day.replace(/^0/, ' ')} ${clock} ${year}`,
      `Sunday, ${day}-${month}-${year.slice(2)} ${clock} GMT`,
    ]) {
      const ms = await afterOf(t, text)
      assert.ok(ms > 50_000 && ms <= 60_000, `${text}: ${ms}`)
    }
  })

  test('Retry-After with a huge number of seconds means a long delay', async (t) => {
    for (const value of ['9999999999', '9'.repeat(400)]) assert.ok((await afterOf(t, value)) > 1e12, value)
  })

  test('an invalid or repeated Retry-After is ignored', async (t) => {
    const garbage = [
      '',
      '-5',
      'soon',
      'soon 2099',
      'Friday',
      '1e3',
      '0x10',
      '5, 2099',
      '12:00',
      'Infinity',
      'NaN',
      '\xff',
    ]
    for (const value of garbage) assert.equal(await afterOf(t, value), 0, value)
    assert.equal(await afterOf(t, '5\r\nRetry-After: 7'), 0)
  })
})

describe('stop', () => {
  test('stopping aborts attempts in any phase and closes all connections', async (t) => {
    const waiting = await startRawServer(t, () => {})
    const half = await startRawServer(t, (socket) =>
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx'),
    )
    const idle = await startRawServer(t, (socket) => socket.write(http('200 OK')))
    const client = newClient(t)
    await client.send(idle.url, {}, '{}')
    const sent = [waiting, waiting, half].map(({ url }) => client.send(url, {}, '{}'))
    // Nobody is there: it is being connected to, or refused.
    sent.push(client.send('https://192.0.2.1/', {}, '{}'))
    await eventually(async () => waiting.sockets.size === 2 && half.sockets.size === 1)
    await client.stop()
    const answers = await Promise.all(sent)
    assert.deepEqual(answers.slice(0, 2), [null, null])
    for (const { sockets } of [waiting, half, idle]) await eventually(async () => sockets.size === 0)
    assert.equal(await client.send(idle.url, {}, '{}'), null)
    await client.stop()
  })
})

test('an attempt to a port below 1024 other than 80 and 443 fails, unless the port is allowed', async (t) => {
  const send = async (url: string, ports: number[]) => {
    const client = new WebhookClient({ allowPrivate: true, ports })
    t.after(() => client.stop())
    return (await client.send(url, {}, '{}'))?.error
  }
  const rule = 'it must be 80, 443 or 1024 or higher, or listed in the setting CLAIMKEEPER_WEBHOOK_PORTS.'
  assert.equal(await send('http://127.0.0.1:25/', []), `Port 25 is not allowed: ${rule}`)
  assert.equal(await send('https://127.0.0.1:1023/', [25]), `Port 1023 is not allowed: ${rule}`)
  // Nothing listens on the port of tcpmux.
  assert.equal(await send('http://127.0.0.1:1/', [1]), 'The connection was refused.')
})

test('many hanging attempts leave nothing behind when they end', async (t) => {
  const server = await startRawServer(t, () => {})
  const client = newClient(t, SHORT_TIMEOUT_MS)
  const sent = await Promise.all(Array.from({ length: 100 }, () => client.send(server.url, {}, '{}')))
  assert.ok(sent.every((one) => one?.error === NO_ANSWER.error))
  await eventually(async () => server.sockets.size === 0)
})

// Of this test alone, for localhost.
const KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgTCeST+C5A3byjusN
Y2LeOZP9B71RiGO5UXoxe117GYShRANCAAT2Od/AEdotoAINjZH3cDgcvsmaEiSc
M0Kw53t3PNoVTA1FyBMFQ+EOBKKiCQiYkUnCOoSVr59sweJo9xnChVJR
-----END PRIVATE KEY-----`
const CERT = `-----BEGIN CERTIFICATE-----
MIIBgDCCASWgAwIBAgIUMkHVv9fHvxjSAt5WnjOfZeDd66MwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMzIzMTAzMVoYDzIxMjYxMDMw
MjMxMDMxWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAAT2Od/AEdotoAINjZH3cDgcvsmaEiScM0Kw53t3PNoVTA1FyBMFQ+EO
BKKiCQiYkUnCOoSVr59sweJo9xnChVJRo1MwUTAdBgNVHQ4EFgQU8iO7gBptDQ+w
H+QHE+dD0k/9ookwHwYDVR0jBBgwFoAU8iO7gBptDQ+wH+QHE+dD0k/9ookwDwYD
VR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNJADBGAiEAj69rEowFO/fDkbcY2jvr
1UWPega7vVMbg+xQDW8c9kUCIQCGMg7HTZ42cIm9Q2gmByn6FlKgy5tSf6srUq1m
xKS83w==
-----END CERTIFICATE-----`
