/** The lines that functions log: which order they are of, and of which invocation. */
import { expect, test, vi } from 'vitest';
import * as z from 'zod';
import { lambdaContext } from '../support/lambda-poller.ts';

const line = z.looseObject({ message: z.string(), function_request_id: z.string() });

test('a line has the order as its correlation id, and nothing of an earlier order or invocation', async () => {
  vi.stubEnv('POWERTOOLS_LOG_LEVEL', 'INFO');
  // Imported here, because a function reads its environment when it is loaded.
  const { log, logged, logger } = await import('../../lambdas/telemetry.ts');
  const lines: unknown[] = [];
  for (const name of ['info', 'warn', 'error', 'log'] as const) {
    vi.spyOn(console, name).mockImplementation((text: string) => void lines.push(JSON.parse(text)));
  }
  Reflect.set(logger, 'console', console);
  const handler = logged(async (orderId: string | null) => {
    if (orderId === null) return log.warn('backlog-unknown', { error: 'x' });
    logger.appendKeys({ ofThisInvocation: orderId });
    log.warn('call-failed', {
      ...{ orderId, step: 'paint', attempt: 1, agent: 'paint', error: 'x', code: null },
    });
  });
  await handler('one', { ...lambdaContext(), awsRequestId: 'first' });
  await handler(null, { ...lambdaContext(), awsRequestId: 'second' });
  const [first, second] = lines.map((one) => line.parse(one));
  expect(first).toMatchObject({
    ...{ message: 'call-failed', function_request_id: 'first', level: 'WARN' },
    ...{ correlation_id: 'one', orderId: 'one', ofThisInvocation: 'one' },
  });
  expect(second).toMatchObject({ message: 'backlog-unknown', function_request_id: 'second' });
  for (const name of ['correlation_id', 'orderId', 'ofThisInvocation']) {
    expect(second).not.toHaveProperty(name);
  }
});

test.each([
  ['WARN', ['call-failed', 'batch-failed']],
  ['ERROR', ['batch-failed']],
  ['SILENT', []],
  ['INFO', ['circuit-closed', 'call-failed', 'batch-failed']],
  ['no level', ['circuit-closed', 'call-failed', 'batch-failed']],
])(
  'with the level %s of the function, the level INFO of Lambda adds no line',
  async (level, expected) => {
    vi.stubEnv('POWERTOOLS_LOG_LEVEL', level);
    // What Lambda sets for a function with logs in JSON.
    vi.stubEnv('AWS_LAMBDA_LOG_LEVEL', 'INFO');
    vi.resetModules();
    const { log, logger } = await import('../../lambdas/telemetry.ts');
    const shown: string[] = [];
    for (const name of ['info', 'warn', 'error'] as const) {
      vi.spyOn(console, name).mockImplementation((text: string) => {
        shown.push(z.looseObject({ message: z.string() }).parse(JSON.parse(text)).message);
      });
    }
    Reflect.set(logger, 'console', console);
    log.info('circuit-closed', { agent: 'one', openMs: 1 });
    log.warn('call-failed', {
      ...{ orderId: 'one', step: 'paint', attempt: 1, agent: 'paint', error: 'x', code: null },
    });
    log.error('batch-failed', { error: 'x' });
    expect(shown).toEqual(expected);
  },
);
