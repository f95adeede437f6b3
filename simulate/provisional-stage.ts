import { type ChildProcess, spawn } from 'node:child_process'
import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { Cleanup } from '../bench/cleanup.ts'
import { type BenchDatabase, Cluster } from '../bench/cluster.ts'
import type { Fault, Stage, StageOptions } from './stage.ts'

class ProvisionalStage implements Stage {
  urls: string[] = []
  complaints: string[] = []
  readonly #database: BenchDatabase
  readonly #cleanup: Cleanup
  readonly #children: ChildProcess[] = []
  readonly #program: string

  private constructor(database: BenchDatabase, cleanup: Cleanup, program: string) {
    this.#program = program
    this.#database = database
    this.#cleanup = cleanup
  }

  static async open({ servers, program }: StageOptions & { program: string }): Promise<ProvisionalStage> {
    const cleanup = new Cleanup()
    const cluster = await Cluster.start(tmpdir(), cleanup)
    const stage = new ProvisionalStage(await cluster.createDatabase('simulate'), cleanup, program)
    for (let i = 0; i < servers; i++) stage.urls.push(await stage.#start(i, 0))
    return stage
  }

  async #start(i: number, port: number): Promise<string> {
    const child = spawn(process.execPath, ['--max-semi-space-size=8', this.#program, 'serve'], {
      env: {
        ...process.env,
        HOST: '',
        PORT: `${port}`,
        NO_COLOR: '1',
        DATABASE_URL: this.#database.url,
        LOG_LEVEL: 'info',
        CLAIMKEEPER_BOOTSTRAP_TOKEN: '',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.#children[i] = child
    let out = ''
    createInterface({ input: child.stderr as NodeJS.ReadableStream }).on('line', (line) => {
      const level = /"level":(\d+)/.exec(line)?.[1]
      if (!level || Number(level) >= 50) this.complaints.push(line)
    })
    return new Promise((resolve, reject) => {
      child.stdout?.on('data', (chunk) => {
        out += chunk
        const url = /is ready on (http:\/\/[^\s/]+)/.exec(out)?.[1]
        if (url) resolve(url)
      })
      child.once('exit', () => reject(new Error(`ended: ${out}`)))
    })
  }

  async kill(i: number, forMs: number): Promise<void> {
    const child = this.#children[i] as ChildProcess
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
    await pause(forMs)
    await this.#start(i, Number(new URL(this.urls[i] as string).port))
  }

  async newAccount() {
    const token = `ck_${randomBytes(32).toString('base64url')}`
    const userId = randomUUID()
    await this.sql('INSERT INTO users (id, email, created_at) VALUES ($1, $2, now())', [
      userId,
      `${userId}@localhost`,
    ])
    await this.sql(
      'INSERT INTO api_tokens (id, user_id, name, token_hash, created_at) VALUES ($1, $2, $3, $4, now())',
      [randomUUID(), userId, 'sim', createHash('sha256').update(token).digest()],
    )
    return { token, userId }
  }

  async sql<Row>(text: string, values: unknown[] = []): Promise<Row[]> {
    return (await this.#database.sql.query(text, values)).rows as Row[]
  }

  async calm(): Promise<void> {
    for (const url of this.urls)
      while (
        !(await fetch(`${url}/readyz`).then(
          ({ ok }) => ok,
          () => false,
        ))
      )
        await pause(100)
  }

  async stop(): Promise<void> {
    for (const child of this.#children) child.kill('SIGKILL')
    await this.#cleanup.run()
  }
}

export const openProvisionalStage = (options: StageOptions & { program: string }) =>
  ProvisionalStage.open(options)

const kill: Fault<ProvisionalStage> = {
  name: 'kill',
  unavailable: () => null,
  strike: async (stage, random) => {
    const i = random.int(0, stage.urls.length - 1)
    await stage.kill(i, random.int(0, 1500))
    return `server ${i} killed`
  },
}

export const PROVISIONAL_FAULTS = [kill]
