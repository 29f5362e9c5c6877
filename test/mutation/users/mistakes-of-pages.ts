/** Mistakes of the pages of the console: its stream, its documents and its words. */
import { type Mistake, mistake } from '../mistake.ts';

export const mistakesOfPages: readonly Mistake[] = [
  mistake(
    'lib/console/api/live.ts',
    'test/console/stream.test.ts',
    'a page does not read again what it has missed',
    "else if (event === 'missed') refreshAll();",
    '',
  ),
  mistake(
    'lib/console/api/live.ts',
    'test/console/stream.test.ts',
    'a stream with keep-alives counts as silent',
    'silence();\n        silence = after',
    'silence = after',
  ),
  mistake(
    'lib/console/now/agent-health.ts',
    'test/console/meanings.test.ts',
    'a drained agent is shown as one whose service is away',
    "if (state === 'draining') return looks.draining;\n  if (state === 'drained') return looks.drained;",
    '',
  ),
  mistake(
    'lib/console/now/causes.ts',
    'test/console/meanings.test.ts',
    'orders without a fault have the cause of those with an empty one',
    "part === null ? '/' : encodeURIComponent(part)",
    "encodeURIComponent(part ?? '')",
  ),
  mistake(
    'lib/console/now/health-text.ts',
    'test/console/meanings.test.ts',
    'a fault of a newer release is not shown',
    'text === null ? []',
    'text === null || text === undefined ? []',
  ),
];
