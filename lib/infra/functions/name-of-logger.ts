/** Keeps the name of a class of the AWS SDK in minified code. */
import { readFileSync } from 'node:fs';
import type { Plugin } from 'esbuild';

/**
 * The SDK compares the name of this class, and would not write its warnings, such as that all sockets are in use. Both need it that minify the SDK:
 * the bundles of functions, and the copies in the package.
 */
export const nameOfLogger: Plugin = {
  name: 'name-of-logger',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]NoOpLogger\.js$/ }, ({ path }) => ({
      contents: `${readFileSync(path, 'utf8')}\nObject.defineProperty(NoOpLogger, 'name', { value: 'NoOpLogger' });`,
      loader: 'js',
    }));
  },
};
