/* To be loaded before the service (`--import`): a fault that nobody catches, at SIGUSR2. */

process.on('SIGUSR2', () => {
  const fault = new Error('a fault of the test')
  if (process.env.FAULT === 'exception') throw fault
  void Promise.reject(fault)
})
