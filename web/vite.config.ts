import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vite';

const queryServer = process.env.TRACKWAY_URL ?? 'http://127.0.0.1:8080';

export default defineConfig({
  plugins: [svelte()],
  build: {
    target: 'es2023',
    // size.mjs reads the manifest to find what the first route loads.
    manifest: true,
    // Every browser this UI supports knows modulepreload.
    modulePreload: { polyfill: false },
    // A data: URL would need an exception in the content security policy.
    assetsInlineLimit: 0,
  },
  server: {
    host: '127.0.0.1',
    proxy: { '/api': { target: queryServer, changeOrigin: true } },
  },
});
