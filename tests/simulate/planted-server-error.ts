/* Preloaded into each process of a run: each server logs an error, which must be a finding. */
if (process.argv.includes('serve')) console.error('{"level":50,"msg":"a planted error"}')
