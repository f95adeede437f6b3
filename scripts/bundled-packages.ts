import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

/*
 * The packages whose code is in a bundle, their licences, and the software bill of materials (SBOM).
 *
 * Vite makes the dashboard's list in this form (`build.license`); rolldown has no such option.
 */

export interface BundledPackage {
  name: string
  version: string
  /** SPDX expression. */
  identifier: string
  /** Some packages bring none. */
  text?: string | undefined
}

const FOLDER = /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/
const LICENSE_FILE = /^(?:licen[cs]e|copying)/i
const LICENSE_SECTION = /^#+ *licen[cs]e\b.*\n([\s\S]*)/im

/** @param moduleIds paths of the modules in a bundle */
export async function readPackages(moduleIds: readonly string[]): Promise<BundledPackage[]> {
  const folders = new Set(moduleIds.flatMap((id) => FOLDER.exec(id) ?? []))
  return (await Promise.all([...folders].map(readPackage))).flat()
}

async function readPackage(folder: string): Promise<BundledPackage[]> {
  const json = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
  const { name, version, license: identifier } = json
  const found = { name, version, identifier, text: await readLicense(folder) }
  if (name !== '@scalar/fastify-api-reference') return [found]
  // It contains the built script of this package, of the same project and licence, as a string.
  const script = '@scalar/api-reference'
  return [found, { ...found, name: script, version: json.devDependencies[script] }]
}

/** The licence file, else the README's section. */
async function readLicense(folder: string): Promise<string | undefined> {
  const files = await readdir(folder)
  const read = async (name: RegExp) => {
    const file = files.find((one) => name.test(one))
    return file && (await readFile(join(folder, file), 'utf8'))
  }
  const text = (await read(LICENSE_FILE)) ?? LICENSE_SECTION.exec((await read(/^readme/i)) ?? '')?.[1]
  return text?.trim()
}

/** In the order of their names, each version once. */
export function mergePackages(...lists: BundledPackage[][]): BundledPackage[] {
  const byPurl = new Map(lists.flat().map((one) => [purlOf(one), one]))
  return [...byPurl].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one)
}

export function licensesText(packages: readonly BundledPackage[]): string {
  const parts = packages.map(
    ({ name, version, identifier, text = 'The package brings no text of its licence.' }) =>
      `${name} ${version} (${identifier})\n\n${text}\n`,
  )
  return ['Claimkeeper contains code of these packages.\n', ...parts].join(`\n${'-'.repeat(80)}\n\n`)
}

/** CycloneDX 1.6. */
export function billOfMaterials(name: string, version: string, packages: readonly BundledPackage[]): object {
  const components = packages.map((one) => {
    const purl = purlOf(one)
    const licenses = [{ expression: one.identifier }]
    return { type: 'library', 'bom-ref': purl, name: one.name, version: one.version, licenses, purl }
  })
  const component = { type: 'application', name, version }
  return { bomFormat: 'CycloneDX', specVersion: '1.6', version: 1, metadata: { component }, components }
}

const purlOf = ({ name, version }: { name: string; version: string }) =>
  `pkg:npm/${name.replace('@', '%40')}@${version}`
