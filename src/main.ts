import { run } from './cli/run.ts'

// Resources that a failed start left open must not keep the process alive.
process.exit(await run(process.argv))
