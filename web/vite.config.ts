import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

export default defineConfig({
  plugins: [react(), tailwindcss()],
  html: { cspNonce: '__NONCE__' }, // the daemon puts a new one into every answer
  build: { outDir: 'dist', emptyOutDir: false, assetsInlineLimit: 0 },
  server: { proxy: { '/api': 'http://127.0.0.1:7077', '/login': 'http://127.0.0.1:7077' } },
  test: { environment: 'happy-dom' },
} as never)
