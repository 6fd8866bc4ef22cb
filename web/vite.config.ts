import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

export default defineConfig({
  plugins: [react(), tailwindcss()],
  html: { cspNonce: '__NONCE__' }, // the daemon puts a new one into every answer
  build: {
    outDir: 'dist', emptyOutDir: false, assetsInlineLimit: 0,
    // What the frame needs comes in few files: a browser that has nothing asks for six at a time.
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: 'libraries', test: /node_modules\/(react|react-dom|scheduler|use-sync-external-store|openapi-fetch|cmdk|@radix-ui\/[^/]+|@tanstack\/(react-router|router-core|history|store|react-store|query-core|react-query))\// },
            { name: 'frame', test: /\/src\/(api|frame\/(?!Keys|Preferences)|lib\/(?!(drafted|graph|layout|lines|route|schema|standing|walk)\.))|\/src\/ui\/(Icon|Popover|Presence|State|Status|Severity|Avatar|Person|Options|Table|columns|toast)\./ },
          ],
        },
      },
    },
  },
  server: { proxy: { '/api': 'http://127.0.0.1:7077', '/login': 'http://127.0.0.1:7077' } },
  test: { environment: 'happy-dom' },
} as never)
