/** Builds the console to static files; `npm ci` runs it by the script `prepare`. */
import { defineConfig } from 'vite';

export default defineConfig({
  root: import.meta.dirname,
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    // The first versions that support `light-dark()`.
    target: ['chrome123', 'firefox120', 'safari17.5'],
    // Without Vite's polyfill for module preloads.
    modulePreload: false,
    assetsInlineLimit: 0,
  },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
});
