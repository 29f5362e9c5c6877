/** Reports of which agents the exports of modules are, in the program that is run at synthesis (implementations.ts). */
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { report } from './report.ts';

const implementation = z.object({
  contract: z.object({ name: z.string() }),
  perform: z.unknown().refine((perform) => typeof perform === 'function'),
});

/** How long a module may take, ms: one that waits for a service at its start must not stop the synthesis. */
const loadMaxMs = 10_000;

/**
 * For each entry the name of its agent, null when it is no implementation, or the reason why its module cannot be loaded.
 *
 * @param loads what loads each export
 */
export async function reportImplementations(loads: readonly (() => unknown)[]): Promise<void> {
  const found = [];
  for (const load of loads) {
    try {
      const parsed = implementation.safeParse(await Promise.race([load(), tooLate()]));
      found.push({ agent: parsed.success ? parsed.data.contract.name : null });
    } catch (error) {
      found.push({ failed: error instanceof Error ? error.message : String(error) });
    }
  }
  report(found);
}

async function tooLate(): Promise<never> {
  await sleep(loadMaxMs);
  throw new Error(`it took longer than ${loadMaxMs / 1_000} s`);
}
