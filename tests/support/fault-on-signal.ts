/* Loaded before the service (`--import`): throws an uncaught error on SIGUSR2. */

process.on('SIGUSR2', () => {
  const fault = new Error('a fault of the test')
  if (process.env.FAULT === 'exception') throw fault
  void Promise.reject(fault)
})
