import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventually } from './eventually.ts'
import type { Scope } from './test-database.ts'

/* Real nginx and Caddy with the files of deploy/. Only names, addresses and the certificate are replaced. */

const DEPLOY = new URL('../../deploy/', import.meta.url)
export type ProxyName = 'nginx' | 'caddy'

export const NAME = 'claims.example.com'

/** Two free ports. */
async function freePorts(): Promise<[number, number]> {
  const servers = await Promise.all(
    [0, 0].map(async () => {
      const server = createServer().listen(0, '127.0.0.1')
      await once(server, 'listening')
      return server
    }),
  )
  const ports = servers.map((server) => (server.address() as AddressInfo).port)
  await Promise.all(servers.map((server) => once(server.close(), 'close')))
  return ports as [number, number]
}

/** The port for https on 127.0.0.1, as claims.example.com. */
export async function startProxy(t: Scope, proxy: ProxyName, serviceUrl: string): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), `claimkeeper-${proxy}-`))
  t.after(() => rm(folder, { recursive: true, force: true }))
  makeCertificate(folder)
  const [http, https] = await freePorts()
  const to = { folder, http, https, service: new URL(serviceUrl).host }
  const args = proxy === 'nginx' ? await prepareNginx(to) : await prepareCaddy(to)
  const child = spawn(proxy, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, HOME: folder },
  })
  const closed = once(child, 'close')
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      said += chunk
    })
  t.after(async () => {
    child.kill('SIGTERM')
    await closed
  })
  await eventually(async () => {
    if (child.exitCode !== null) throw new Error(`${proxy} ended:\n${said}`)
    return isReached(https)
  })
  return https
}

async function isReached(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}

function makeCertificate(folder: string): void {
  const of = ['-subj', `/CN=${NAME}`, '-addext', `subjectAltName=DNS:${NAME}`]
  const files = ['-keyout', join(folder, 'privkey.pem'), '-out', join(folder, 'fullchain.pem')]
  const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2']
  execFileSync('openssl', ['req', ...kind, ...of, ...files], { stdio: 'pipe' })
}

interface To {
  folder: string
  http: number
  https: number
  service: string
}

async function prepareNginx({ folder, http, https, service }: To): Promise<string[]> {
  const ours = await readFile(new URL('nginx/claimkeeper.conf', DEPLOY), 'utf8')
  const site = ours
    .replace('listen 80;', `listen 127.0.0.1:${http};`)
    .replace('listen 443 ', `listen 127.0.0.1:${https} `)
    .replace('server 127.0.0.1:8080;', `server ${service};`)
    .replaceAll(`/etc/ssl/${NAME}`, folder)
  await writeFile(join(folder, 'site.conf'), site)
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((what) => `${what}_temp_path ${folder}/${what};`)
    .join(' ')
  await writeFile(
    join(folder, 'nginx.conf'),
    `daemon off; worker_processes 1; pid ${folder}/pid; error_log stderr;
     events {} http { access_log off; ${temporary} include ${folder}/site.conf; }`,
  )
  return ['-p', folder, '-e', 'stderr', '-c', join(folder, 'nginx.conf')]
}

async function prepareCaddy({ folder, http, https, service }: To): Promise<string[]> {
  const ours = await readFile(new URL('caddy/Caddyfile', DEPLOY), 'utf8')
  const site = ours
    .replace(
      `${NAME} {`,
      `https://${NAME}:${https} {\n\tbind 127.0.0.1\n\ttls ${folder}/fullchain.pem ${folder}/privkey.pem`,
    )
    .replace('127.0.0.1:8080', service)
  const global = `{\n\tadmin off\n\thttp_port ${http}\n\thttps_port ${https}\n\tauto_https disable_redirects\n\tstorage file_system ${folder}/caddy\n}\n`
  await writeFile(join(folder, 'Caddyfile'), `${global}${site}`)
  return ['run', '--config', join(folder, 'Caddyfile'), '--adapter', 'caddyfile']
}
