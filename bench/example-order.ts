/** The order of the README, which the benches submit to a `reeve start`. */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import * as z from 'zod';

const path = join(import.meta.dirname, '../examples/order.json');
export const exampleOrder = z
  .object({ workflow: z.string(), details: z.json() })
  .parse(JSON.parse(readFileSync(path, 'utf8')));

/** A port that is free now. */
export function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const address = probe.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      probe.close(() => resolve(port));
    });
  });
}
