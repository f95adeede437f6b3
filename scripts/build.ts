import { execFileSync } from 'node:child_process'
import { cp, rm } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

/*
 * Makes what the npm package ships: dist/, JavaScript for a Node that strips no types below node_modules, and
 * dashboard/dist/.
 */

const at = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url))

await rm(at('dist'), { recursive: true, force: true })
execFileSync(at('node_modules/.bin/tsc'), ['-p', at('tsconfig.build.json')], { stdio: 'inherit' })
await cp(at('src/storage/migrations'), at('dist/storage/migrations'), { recursive: true })
execFileSync(process.execPath, [at('dashboard/build.js')], { stdio: 'inherit' })
