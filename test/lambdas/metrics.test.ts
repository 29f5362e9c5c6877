/** Alarms find the metrics of functions by the deployment. */
import { expect, onTestFinished, test, vi } from 'vitest';

test('the metrics of a function have the name of the deployment, not that of the service whose function it is', async () => {
  vi.stubEnv('POWERTOOLS_SERVICE_NAME', 'mailing');
  vi.stubEnv('REEVE_DEPLOYMENT', 'shop-Orders');
  const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  onTestFinished(() => write.mockRestore());
  const { publish } = await import('../../lambdas/metrics.ts');
  publish({ AgentsUnavailable: 1 });
  const [[line] = []] = write.mock.calls;
  expect(JSON.parse(String(line))).toMatchObject({ service: 'shop-Orders', AgentsUnavailable: 1 });
});
