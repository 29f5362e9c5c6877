/** The bundles of all functions, made once for all stacks that one worker makes: esbuild takes a second each time. */
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
    // The front door is changed after it was bundled: the console is added.
    if (name !== 'front-door') return folderOf(known);
    cpSync(folderOf(known), outdir, { recursive: true });
    return outdir;
  };
}

let made: Bundle | undefined;

/** Of the shipped agents' code, whatever the agent is called, and with the shipped workflow. */
export function sharedBundle(): Bundle {
  made ??= makeBundle();
  return made;
}
