/** Builds the console to static files: `npm ci` does, by the script `prepare`. */
import { defineConfig } from 'vite';

export default defineConfig({
  root: import.meta.dirname,
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    // The first ones in which a style sheet can say a colour for light and dark at once.
    target: ['chrome123', 'firefox120', 'safari17.5'],
    // No script of the builder's is put between the page and its modules.
    modulePreload: false,
    assetsInlineLimit: 0,
  },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
});
