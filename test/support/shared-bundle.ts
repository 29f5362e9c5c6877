/** The bundles of all functions, created once for all stacks of a worker, because esbuild takes a second each time. */
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'vitest';
import { type Bundle, bundle } from '#infra/functions/bundles.ts';
import { shippedSources } from './shipped-sources.ts';

function makeBundle(): Bundle {
  const shared = mkdtempSync(join(inject('temporaryFolder'), 'bundles-'));
  const sources = shippedSources(['payment']);
  const folderOf = bundle(sources, join(shared, 'all'));
  return () => (name) => folderOf(name in sources ? name : 'payment');
}

let made: Bundle | undefined;

/** The code of the shipped agents for every agent name, with the shipped workflow. */
export function sharedBundle(): Bundle {
  made ??= makeBundle();
  return made;
}
