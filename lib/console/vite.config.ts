/** Builds the console to static files; `npm ci` runs it by the script `prepare`. */
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig, type Plugin } from 'vite';

/** A process may read the files of an earlier build meanwhile, so they stay until those of this one are there. */
const removeFormerFiles: Plugin = {
  name: 'remove-former-files',
  writeBundle({ dir = '' }, bundle) {
    for (const entry of readdirSync(dir, { recursive: true, withFileTypes: true })) {
      const file = join(entry.parentPath, entry.name);
      const isOfBundle = Object.keys(bundle).some((name) => join(dir, name) === file);
      if (entry.isFile() && !isOfBundle) rmSync(file);
    }
  },
};

export default defineConfig({
  root: import.meta.dirname,
  plugins: [removeFormerFiles],
  build: {
    outDir: 'dist',
    emptyOutDir: false,
    // The first versions that support `light-dark()`.
    target: ['chrome123', 'firefox120', 'safari17.5'],
    // Without Vite's polyfill for module preloads.
    modulePreload: false,
    assetsInlineLimit: 0,
  },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
});
