import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { describe, test } from 'node:test'
import { lookingUp, startNameServer } from '../support/name-server.ts'
import { isPublic, literalAddress, WebhookClient } from '../support/source/webhooks.ts'

/* Webhooks go where others want them to: never to this machine or a network inside, however that is written. */

const REFUSED: Record<string, string[]> = {
  loopback: ['127.0.0.1', '127.1.2.3', '127.255.255.255', '::1'],
  unspecified: ['0.0.0.0', '0.1.2.3', '::'],
  private: ['10.0.0.1', '10.255.255.255', '172.16.0.1', '172.31.255.255', '192.168.0.1', '192.168.255.255'],
  'of a single link': ['169.254.0.1', '169.254.169.254', '169.254.170.2', 'fe80::1', 'febf::1'],
  'of the provider': ['100.64.0.1', '100.127.255.255', '192.0.0.1', '192.0.0.170'],
  'for benchmarks': ['198.18.0.1', '198.19.255.255', '2001:2::1'],
  'of documentation': ['192.0.2.1', '198.51.100.7', '203.0.113.9', '2001:db8::1', '3fff::1'],
  multicast: ['224.0.0.1', '239.255.255.250', 'ff02::1', 'ff0e::1'],
  'reserved, or for all': ['240.0.0.1', '255.255.255.255', '192.88.99.1'],
  'unique and local': ['fc00::1', 'fd00:ec2::254', 'fdff::1'],
  'of a site': ['fec0::1', 'feff::1'],
  'for nobody': ['100::1', '5f00::1', '4000::1', 'e000::1', '1::1', '200::1'],
  'IPv4 as IPv6': ['::ffff:127.0.0.1', '::ffff:7f00:1', '0:0:0:0:0:ffff:10.0.0.1', '::FFFF:A9FE:A9FE'],
  'IPv4 in IPv6, as it was once': ['::127.0.0.1', '::7f00:1', '::8.8.8.8', '0::8.8.8.8', '::a00:1'],
  'IPv4 translated': ['::ffff:0:127.0.0.1', '64:ff9b::127.0.0.1', '64:ff9b::8.8.8.8', '64:ff9b:1::a00:1'],
  'IPv4 in a tunnel': ['2002:7f00:1::', '2002:808:808::1', '2001::1', '2001:0:4136:e378:8000:63bf:3fff:fdd2'],
  'of the host of a cloud': [
    ...[
      '168.63.129.16',
      '100.100.100.200',
      '169.254.169.254',
      '192.0.0.192',
      'fd00:ec2::254',
      'fd20:ce::254',
    ],
    ...['161.26.0.10', '166.8.0.1', '166.11.255.255', '199.36.153.4', '199.36.153.11'],
    ...['2600:2d00:2:1000::', '2600:2d00:2:2000::1'],
    ...['::ffff:168.63.129.16', '::ffff:a83f:8110', '64:ff9b::168.63.129.16', '64:ff9b::a83f:8110'],
    ...['2002:a83f:8110::', '2002:a83f:8110::1', '::168.63.129.16', '::ffff:0:168.63.129.16'],
    ...['::ffff:100.100.100.200', '64:ff9b::169.254.169.254', '2002:c000:c0::'],
  ],
  'with a zone': ['fe80::1%eth0', '::1%lo', 'fe80::1%1'],
}

const ALLOWED = [
  ...['1.1.1.1', '8.8.8.8', '9.255.255.255', '11.0.0.1', '100.63.255.255', '100.128.0.1', '126.255.255.255'],
  ...['128.0.0.1', '169.253.255.255', '169.255.0.1', '172.15.255.255', '172.32.0.1', '192.167.255.255'],
  ...['192.169.0.1', '198.17.255.255', '198.20.0.1', '223.255.255.255', '::ffff:8.8.8.8', '::ffff:808:808'],
  ...['168.63.129.15', '168.63.129.17', '161.25.255.255', '166.7.255.255', '166.12.0.1', '199.36.153.12'],
  ...['2606:4700:4700::1111', '2a00:1450:4001::1', '2001:4860:4860::8888', '2400:cb00::1', '2620:fe::fe'],
]

describe('an address is refused', () => {
  for (const [what, addresses] of Object.entries(REFUSED)) {
    test(`that is ${what}`, () => {
      for (const address of addresses) assert.equal(isPublic(address), false, address)
    })
  }

  test('that is none', () => {
    for (const text of ['', 'localhost', '1.2.3.4.5', '256.1.1.1', '8.8.8.8 ', 'fe80::1%', '::g'])
      assert.equal(isPublic(text), false, text)
  })
})

test('an address of the Internet is allowed', () => {
  for (const address of ALLOWED) assert.equal(isPublic(address), true, address)
})

describe('however a URL writes it, an address inside is found to be one', () => {
  const HOSTS = [
    ...[
      '127.0.0.1',
      '127.1',
      '2130706433',
      '0x7f.1',
      '0x7f000001',
      '0177.0.0.1',
      '017700000001',
      '127.0.0.1.',
    ],
    ...[
      '0',
      '0x0',
      '0300.0250.1',
      '3232235777',
      '0xa9fea9fe',
      '169.254.43518',
      '１２７.0.0.1',
      '127。0。0。1',
    ],
    ...['%31%32%37.0.0.1', '[::1]', '[0:0:0:0:0:0:0:1]', '[::]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]'],
    ...[
      '[::ffff:a9fe:a9fe]',
      '[::7f00:1]',
      '[64:ff9b::7f00:1]',
      '[64:ff9b:1::1]',
      '[2002:7f00:1::]',
      '[fd00::1]',
    ],
  ]
  for (const host of HOSTS) {
    test(host, () => {
      const address = literalAddress(new URL(`https://${host}/`).hostname)
      assert.ok(address !== null, 'no name')
      assert.equal(isPublic(address), false)
    })
  }

  test('and with a zone it is no URL', () => {
    for (const host of ['[fe80::1%25eth0]', '[fe80::1%eth0]']) assert.ok(!URL.canParse(`https://${host}/`))
  })
})

describe('a name', () => {
  test('a name resolves to all of its addresses, IPv6 first', async (t) => {
    const { lookUp } = await lookingUp(t, () => ['8.8.8.8', '2606:4700::1', '1.1.1.1'])
    assert.deepEqual(await lookUp('example.test'), {
      error: null,
      addresses: [
        { address: '2606:4700::1', family: 6 },
        { address: '8.8.8.8', family: 4 },
        { address: '1.1.1.1', family: 4 },
      ],
    })
  })

  test('a name is refused if any of its addresses is internal', async (t) => {
    const inside = ['127.0.0.1', '10.0.0.1', '169.254.169.254', '::1', 'fd00::1', '::ffff:127.0.0.1']
    for (const address of [...inside, '64:ff9b::a00:1']) {
      for (const addresses of [[address], ['8.8.8.8', address], [address, '2606:4700::1']]) {
        const { lookUp } = await lookingUp(t, () => addresses)
        const { error } = await lookUp('inside.test')
        assert.match(error?.message ?? '', /^inside\.test is .+, no public address\.$/, `${addresses}`)
      }
    }
  })

  test('a name of this machine is refused, with and without a trailing dot', async (t) => {
    const { lookUp } = await lookingUp(t, () => ['127.0.0.1'])
    for (const name of ['localhost', 'localhost.', 'a.localhost']) assert.ok((await lookUp(name)).error)
  })

  test('a name without a record or an address is reported as unknown', async (t) => {
    const { lookUp } = await lookingUp(t, (name) => (name === 'empty.test' ? [] : null))
    for (const name of ['empty.test', 'gone.test', `${'x'.repeat(64)}.test`, 'a..test'])
      assert.equal(((await lookUp(name)).error as NodeJS.ErrnoException).code, 'ENOTFOUND', name)
  })
})

describe('a connection', () => {
  test('an attempt goes to the checked address, even if DNS answers otherwise later', async (t) => {
    // The first answer of each kind is harmless. A second lookup would reach the private address.
    const { server, look } = await lookingUp(t, (_, queries) =>
      queries === 0 ? ['2606:4700::1'] : ['127.0.0.1'],
    )
    const socket = connect({ host: 'rebound.test', port: 9, lookup: look, autoSelectFamily: true })
    t.after(() => socket.destroy())
    const looked = new Promise((resolve) => socket.once('lookup', (_error, address) => resolve(address)))
    socket.on('error', () => {})
    assert.equal(await looked, '2606:4700::1')
    assert.deepEqual(server.queries.toSorted(), ['rebound.test 1', 'rebound.test 28'])
  })

  test('no attempt reaches this machine, by any name or address', async (t) => {
    let came = 0
    const server = createServer((_request, response) => {
      came++
      response.end()
    })
    server.on('connection', () => came++)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    t.after(() => server.close())
    const { port } = server.address() as AddressInfo
    const names = await startNameServer(t, (name) =>
      name === 'mixed.test' ? ['8.8.8.8', '127.0.0.1'] : ['127.0.0.1'],
    )
    const client = new WebhookClient({ allowPrivate: false, nameServers: [names.address] })
    t.after(() => client.stop())
    const hosts = [
      '127.0.0.1',
      '2130706433',
      '0x7f.1',
      '0',
      '[::ffff:7f00:1]',
      '[::1]',
      'inside.test',
      'mixed.test',
    ]
    for (const host of [...hosts, 'localhost', 'localhost.']) {
      for (const scheme of ['http', 'https']) {
        const sent = await client.send(`${scheme}://${host}:${port}/`, {}, '{}')
        assert.match(sent?.error ?? '', /public address/, host)
        assert.deepEqual([sent?.status, sent?.answer], [null, null])
      }
    }
    assert.equal(came, 0)
  })
})
