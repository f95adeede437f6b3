import { ServerResponse } from 'node:http'

/* Preloaded into each process of a run: servers answer requests for a customer or for the own account with invalid JSON. */
if (process.argv.includes('serve')) {
  const { end } = ServerResponse.prototype
  ServerResponse.prototype.end = function (this: ServerResponse, ...args: unknown[]) {
    const [text] = args
    const isBroken = /^\/v1\/(me|customers\/.*)$/.test(this.req.url ?? '') && typeof text === 'string'
    return Reflect.apply(end, this, isBroken ? [text.replace('{', ' '), ...args.slice(1)] : args)
  } as typeof end
}
