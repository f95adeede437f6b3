/* Loaded into each process of a run: what a server complains of, and nobody asked for, is to be found. */
if (process.argv.includes('serve')) console.error('{"level":50,"msg":"a planted complaint"}')
