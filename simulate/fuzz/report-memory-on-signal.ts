/* Preloaded into the server (`--import`). At SIGUSR2 it collects garbage and logs the memory in use. */

const inMb = (bytes: number): number => Math.round(bytes / 1024 / 102.4) / 10

process.on('SIGUSR2', () => {
  // The second collection frees objects that the first has finalized.
  globalThis.gc?.()
  globalThis.gc?.()
  const { heapUsed, external, rss } = process.memoryUsage()
  const memory = { heapMb: inMb(heapUsed), externalMb: inMb(external), residentMb: inMb(rss) }
  process.stderr.write(`${JSON.stringify({ level: 30, ...memory })}\n`)
})
