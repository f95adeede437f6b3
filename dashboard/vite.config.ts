import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

/** Where a service runs while the dashboard is being worked on (`npx vite dashboard`). */
const SERVICE = 'http://127.0.0.1:8080'

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), tailwindcss()],
  build: {
    target: 'es2023',
    // Nothing as data: in the page, where the policy would refuse it.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // The holidays of all countries, which few pages load.
    chunkSizeWarningLimit: 1_500,
    // The service's build adds these packages to its own (scripts/build.ts).
    license: { fileName: 'licenses.json' },
  },
  server: { proxy: { '/v1': SERVICE, '/api': SERVICE, '/docs': SERVICE, '/openapi.json': SERVICE } },
})
