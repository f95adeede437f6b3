#!/usr/bin/env -S node --expose-gc --max-semi-space-size=8 --heap-growing-percent=30
// Runs the command line: from src/ in a checkout, from dist/ in the npm package. In a checkout whose machine
// has an older Node, hands over to the one that `npm ci` brought.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const [major, minor] = process.versions.node.split('.').map(Number)
const isOld = major < 22 || (major === 22 && minor < 19)
const broughtAlong = fileURLToPath(new URL('../node_modules/node/bin/node', import.meta.url))

if (isOld && existsSync(broughtAlong)) {
  const child = spawn(broughtAlong, process.argv.slice(1), { stdio: 'inherit' })
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('exit', (status) => process.exit(status ?? 1))
} else if (isOld) {
  console.error(`claimkeeper: Node 22.19 or newer is needed; this is ${process.versions.node}.`)
  process.exit(1)
} else {
  const source = new URL('../src/main.ts', import.meta.url)
  await import(existsSync(source) ? source : new URL('../dist/main.js', import.meta.url))
}
