import { once } from 'node:events'
import pg from 'pg'
import { openEmbeddedDatabase } from './source/embedded.ts'

// A separate process that opens the embedded database of a data folder and uses it once. It then prints the URL of the
// database, and keeps the database open until its standard input ends.
// Arguments: data folder, role.
const [dataDir = '', role] = process.argv.slice(2)
const database = await openEmbeddedDatabase({
  dataDir,
  role: role === 'service' ? 'service' : 'command',
  report: () => undefined,
})
const client = new pg.Client({ connectionString: database.connectionString })
await client.connect()
await client.query('SELECT 1')
await client.end()
process.stdout.write(`${database.connectionString}\n`)
process.stdin.resume()
await once(process.stdin, 'end')
await database.release()
