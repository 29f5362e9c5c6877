/** The bundles of all functions, created once for all stacks of a worker, because esbuild takes a second each time. */
import { cpSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'vitest';
import { type Bundle, bundle } from '#infra/functions/bundles.ts';

const lambdas = ['front-door', 'submission', 'scheduler', 'supervisor', 'notifier', 'webhook'];

function makeBundle(): Bundle {
  const shared = mkdtempSync(join(inject('temporaryFolder'), 'bundles-'));
  const folderOf = bundle(
    {
      ...Object.fromEntries(lambdas.map((name) => [name, `lambdas/${name}.ts`])),
      agent: 'lambdas/agents/payment.ts',
    },
    'lib/workflows/shipped.ts',
    join(shared, 'all'),
  );
  return (_entries, _workflows, outdir) => (name) => {
    const known = lambdas.includes(name) ? name : 'agent';
    // The front door's folder changes after bundling: the console is added.
    if (name !== 'front-door') return folderOf(known);
    cpSync(folderOf(known), outdir, { recursive: true });
    return outdir;
  };
}

let made: Bundle | undefined;

/** The code of the shipped agents for every agent name, with the shipped workflow. */
export function sharedBundle(): Bundle {
  made ??= makeBundle();
  return made;
}
