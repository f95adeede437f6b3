#!/usr/bin/env -S node --max-semi-space-size=4 --v8-pool-size=2
// Runs the command line: from src/ in a checkout, from dist/ in the npm package. In a checkout whose machine
// has an older Node, hands over to the one that `npm ci` brought. CommonJS, and words that an old Node knows:
// it must get as far as saying that it is too old.
// biome-ignore-all lint/style/useNodejsImportProtocol: an old Node does not know it.
const { spawn } = require('child_process')
const { existsSync } = require('fs')
const { join } = require('path')
const { pathToFileURL } = require('url')

const parts = process.versions.node.split('.').map(Number)
const isOld = parts[0] < 22 || (parts[0] === 22 && parts[1] < 19)
const broughtAlong = join(__dirname, '../node_modules/node/bin/node')
const source = join(__dirname, '../src/main.ts')
const built = join(__dirname, '../dist/main.js')

if (isOld && existsSync(broughtAlong)) {
  const child = spawn(broughtAlong, process.execArgv.concat(process.argv.slice(1)), { stdio: 'inherit' })
  child.on('error', (error) => {
    console.error(`claimkeeper: ${broughtAlong} cannot be run: ${error.message}`)
    process.exit(1)
  })
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('exit', (status) => process.exit(status === null ? 1 : status))
} else if (isOld) {
  console.error(`claimkeeper: Node 22.19 or newer is needed; this is ${process.versions.node}.`)
  process.exit(1)
} else {
  import(pathToFileURL(existsSync(source) ? source : built).href).catch((error) => {
    console.error(error)
    process.exit(1)
  })
}
