// examples/recipes/slow-agent.ts

import { setTimeout as sleep } from 'node:timers/promises';
import {
  type AgentImplementation,
  defineAgent,
  defineWorkflow,
  type HttpService,
  PermanentFault,
} from 'reeve';
import * as z from 'zod';

type Input = { video: string };
type Output = { file: string };

const rendering = defineAgent<Input, Output>({
  name: 'rendering',
  input: z.object({ video: z.string() }),
  output: z.object({ file: z.string() }),
  undo: 'offered',
});

export const slowAgent = defineWorkflow({
  name: 'slow-agent',
  version: 1,
  details: z.strictObject({ video: z.string() }),
})
  .step('render', {
    agent: rendering,
    completeWithin: 30_000,
    maxDuration: 30 * 60_000,
    input: ({ details }) => details,
  })
  .build();

const job = z.discriminatedUnion('state', [
  z.object({ state: z.literal('running') }),
  z.object({ state: z.literal('done'), file: z.string() }),
  z.object({ state: z.literal('failed'), reason: z.string() }),
]);

export function renderingAgent(
  service: HttpService,
  pollMs: number,
): AgentImplementation<Input, Output> {
  return {
    contract: rendering,
    async perform(input, call) {
      // Starts the job, or finds the job with this key.
      await service.post('/jobs', input, call);
      for (;;) {
        const found = job.parse(await service.post('/jobs/state', {}, call));
        if (found.state === 'done') return { file: found.file };
        if (found.state === 'failed') {
          throw new PermanentFault('render-failed', found.reason, 'none');
        }
        call.heartbeat();
        // Throws at the deadline: then another attempt polls the same job.
        await sleep(pollMs, undefined, { signal: call.signal });
      }
    },
    async undo({ performKey }, call) {
      await service.post('/jobs/delete', { performKey }, call);
    },
  };
}
