import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { parse } from 'csv-parse'

// The yardstick of the back-test, in a separate process: it only parses and counts the rows of the file.

const [path = ''] = process.argv.slice(2)
let rows = 0
const parser = createReadStream(path, { highWaterMark: 256 * 1024 }).pipe(parse({ bom: true }))
parser.on('data', () => rows++)
await once(parser, 'end')
