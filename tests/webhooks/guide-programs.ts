import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import type { Server } from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { Scope } from '../support/test-database.ts'
import { guideBlock } from './guide-blocks.ts'

/** What came to a receiver. */
export interface Arrival {
  secret: string
  headers: Record<string, string>
  body: string
}

/** Deliveries in the order of their arrival, to a receiver that has kept one hash. */
export interface Arrivals {
  begin: { number: number; hash: string }
  bodies: string[]
  last: number
}

export interface Finding {
  /** Of each delivery. */
  outcomes: ('new' | 'repeated' | 'refused')[]
  missing: number[]
  /** The hash that is kept for the last number, if there is one. */
  hash: string | null
}

/** The programs of the guide in one language. */
export interface Programs {
  /** Whether each arrival is believed. */
  verify: (arrivals: Arrival[]) => boolean[]
  follow: (runs: Arrivals[]) => Finding[]
}

interface Link {
  hash: string
  previous_hash: string
}

interface Modules {
  verify: (secret: string, headers: Record<string, string>, body: string) => void
  keep: (kept: Map<number, Link>, body: string) => boolean
  missing: (kept: Map<number, Link>, first: number, last: number) => number[]
  receiver: (secret: string, store: (body: string) => Promise<void>) => Server
}

const NODE_MODULES = fileURLToPath(new URL('../../node_modules', import.meta.url))

/** Why the tests of a language are skipped, or false. */
export const missingProgram = (name: string, argument: string): string | false =>
  spawnSync(name, [argument]).status === 0 ? false : `there is no ${name} here`

function folderWith(t: Scope, files: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), 'claimkeeper-guide-'))
  t.after(async () => rmSync(folder, { recursive: true }))
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  return folder
}

/** Runs a program that reads JSON and prints JSON. */
function runProgram(cwd: string, command: string, args: string[], question: unknown) {
  const { stdout, stderr, status, error } = spawnSync(command, args, {
    cwd,
    input: JSON.stringify(question),
    encoding: 'utf8',
    timeout: 120_000,
  })
  assert.equal(status, 0, `${command}: ${error ?? stderr}`)
  return JSON.parse(stdout)
}

/** A folder with the guide's programs, where they find the library that they import. */
export function typescriptFolder(t: Scope): string {
  const folder = folderWith(t, {
    'package.json': '{"type": "module"}',
    'verify.ts': guideBlock('ts', 'function verify'),
    'chain.ts': guideBlock('ts', 'function keep'),
    'receiver.ts': guideBlock('ts', 'const receiver'),
  })
  symlinkSync(NODE_MODULES, join(folder, 'node_modules'))
  return folder
}

export async function typescriptModules(t: Scope): Promise<Modules> {
  const folder = typescriptFolder(t)
  const load = (name: string) => import(pathToFileURL(join(folder, name)).href)
  return { ...(await load('verify.ts')), ...(await load('chain.ts')), ...(await load('receiver.ts')) }
}

export const typescriptPrograms = ({ verify, keep, missing }: Modules): Programs => ({
  verify: (arrivals) =>
    arrivals.map(({ secret, headers, body }) => succeeds(() => verify(secret, headers, body))),
  follow: (runs) =>
    runs.map(({ begin, bodies, last }) => {
      const kept = new Map([[begin.number, { hash: begin.hash, previous_hash: '' }]])
      const outcomes = bodies.map((body) => {
        const before = structuredClone(kept)
        try {
          return keep(kept, body) ? 'new' : 'repeated'
        } catch {
          assert.deepEqual(kept, before, 'keeps nothing of what is refused')
          return 'refused'
        }
      })
      const hash = kept.get(last)?.hash ?? null
      return { outcomes, missing: missing(kept, begin.number + 1, last), hash }
    }),
})

function succeeds(attempt: () => void): boolean {
  try {
    attempt()
    return true
  } catch {
    return false
  }
}

const PYTHON = `
import copy, email.message, json, sys
from verify import verify
from chain import keep, missing

def believed(arrival):
    headers = email.message.Message()
    for name, value in arrival["headers"].items():
        headers[name] = value
    try:
        verify(arrival["secret"], headers, arrival["body"].encode())
        return True
    except ValueError:
        return False

def outcome(kept, body):
    before = copy.deepcopy(kept)
    try:
        return "new" if keep(kept, body.encode()) else "repeated"
    except ValueError:
        assert kept == before, "keeps nothing of what is refused"
        return "refused"

def found(run):
    begin, last = run["begin"], run["last"]
    kept = {begin["number"]: {"hash": begin["hash"], "previous_hash": ""}}
    outcomes = [outcome(kept, body) for body in run["bodies"]]
    hash = kept[last]["hash"] if last in kept else None
    return {"outcomes": outcomes, "missing": missing(kept, begin["number"] + 1, last), "hash": hash}

question = json.load(sys.stdin)
json.dump([{"verify": believed, "follow": found}[sys.argv[1]](each) for each in question], sys.stdout)
`

export function pythonPrograms(t: Scope): Programs {
  const folder = folderWith(t, {
    'verify.py': guideBlock('python', 'def verify'),
    'chain.py': guideBlock('python', 'def keep'),
    'ask.py': PYTHON,
  })
  const python = (what: string) => (question: unknown) =>
    runProgram(folder, 'python3', ['ask.py', what], question)
  return { verify: python('verify'), follow: python('follow') }
}

const GO = `package main

import (
	"encoding/json"
	"net/http"
	"os"

	"guide/webhook"
)

func main() {
	var arrivals []struct {
		Secret, Body string
		Headers      map[string]string
	}
	if err := json.NewDecoder(os.Stdin).Decode(&arrivals); err != nil {
		panic(err)
	}
	believed := []bool{}
	for _, arrival := range arrivals {
		header := http.Header{}
		for name, value := range arrival.Headers {
			header.Set(name, value)
		}
		believed = append(believed, webhook.Verify(arrival.Secret, header, []byte(arrival.Body)) == nil)
	}
	if err := json.NewEncoder(os.Stdout).Encode(believed); err != nil {
		panic(err)
	}
}
`

export function goPrograms(t: Scope): Pick<Programs, 'verify'> {
  const folder = folderWith(t, {
    'go.mod': 'module guide\n\ngo 1.18\n',
    'webhook/verify.go': guideBlock('go', 'func Verify'),
    'main.go': GO,
  })
  return { verify: (arrivals) => runProgram(folder, 'go', ['run', '.'], arrivals) }
}
