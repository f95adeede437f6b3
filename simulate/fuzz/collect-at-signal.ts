/* To be loaded before the service (`--import`): at SIGUSR2 it frees what nobody refers to, and says what is left. */

const inMb = (bytes: number): number => Math.round(bytes / 1024 / 102.4) / 10

process.on('SIGUSR2', () => {
  // Twice: what is finalised by the first is freed by the second.
  globalThis.gc?.()
  globalThis.gc?.()
  const { heapUsed, external, rss } = process.memoryUsage()
  const memory = { heapMb: inMb(heapUsed), externalMb: inMb(external), residentMb: inMb(rss) }
  process.stderr.write(`${JSON.stringify({ level: 30, ...memory })}\n`)
})
