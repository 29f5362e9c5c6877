/** The parameter `batchWindowSeconds`: Lambda gathers the messages of the Scheduler's queues, and no others. */
import { expect, test } from 'vitest';
import * as z from 'zod';
import { stackWith, synthesised, templateWith } from './scenario.ts';

const agents = [
  { name: 'payment', handler: 'lambdas/agents/payment.ts' },
  { name: 'shipping' },
] as const;
const patient = { workflows: 'test/infra/patient-workflows.ts' };

const mapping = z.object({
  EventSourceArn: z.object({ 'Fn::GetAtt': z.tuple([z.string(), z.string()]) }),
  MaximumBatchingWindowInSeconds: z.int().optional(),
});
const queue = z.object({ VisibilityTimeout: z.int().optional() });
const functionSchema = z.object({
  Description: z.string().default(''),
  Environment: z.object({ Variables: z.record(z.string(), z.unknown()) }),
});

/** The window, and for how long messages are hidden, of each queue that a function consumes. */
function windowsOf(context: Readonly<Record<string, unknown>>) {
  const template = templateWith(agents, context, patient);
  const queues = template.findResources('AWS::SQS::Queue');
  return Object.fromEntries(
    Object.values(template.findResources('AWS::Lambda::EventSourceMapping')).flatMap(
      ({ Properties }) => {
        const parsed = mapping.safeParse(Properties);
        if (!parsed.success) return [];
        const [id] = parsed.data.EventSourceArn['Fn::GetAtt'];
        const found = queues[id];
        // The change stream is no queue.
        if (found === undefined) return [];
        const { VisibilityTimeout } = queue.parse(found['Properties']);
        const name = id.replace(/Queue[0-9A-F]{8}$/, '');
        return [[name, [parsed.data.MaximumBatchingWindowInSeconds ?? 0, VisibilityTimeout]]];
      },
    ),
  );
}

test('the ready queue and those of replies gather for the window, during which their messages stay hidden', () => {
  const given = { batchWindowSeconds: '30', submissionQueue: 'true', recovery: 'prompt' };
  expect(windowsOf(given)).toEqual({
    ReadyNormal: [30, 210],
    AgentpaymentReplies: [30, 210],
    AgentshippingReplies: [30, 210],
    AgentpaymentRequestsNormal: [0, 180],
    Checks: [0, 360],
    SubmissionSubmissions: [0, 180],
    NotificationsRetries: [0, 360],
  });
});

test('without the parameter no queue gathers', () => {
  const windows = Object.values(windowsOf({}));
  expect(windows.length).toBeGreaterThan(4);
  expect(windows.filter(([seconds]) => seconds !== 0)).toEqual([]);
});

test.each([
  ['30', { 'Reeve: Scheduler': '30' }],
  ['0', {}],
])('with a window of %s s, the function that consumes such queues knows it', (seconds, known) => {
  const context = {
    batchWindowSeconds: seconds,
    priorities: '["high","normal"]',
    recovery: 'prompt',
  };
  const functions = templateWith(agents, context, patient).findResources('AWS::Lambda::Function');
  const windows = Object.values(functions).flatMap(({ Properties }) => {
    const { Description, Environment } = functionSchema.parse(Properties);
    const window = Environment.Variables['REEVE_BATCH_WINDOW_SECONDS'];
    return window === undefined ? [] : [[Description, window]];
  });
  expect(Object.fromEntries(windows)).toEqual(known);
});

test.each([
  // With few messages, Lambda may gather for 20 s.
  [1, 20],
  [20, 20],
  [30, 30],
])('calls of a minute may have a window of %i s, in which replies wait for %i s', (seconds) => {
  expect(() => synthesised(agents, { batchWindowSeconds: seconds }, patient)).not.toThrow();
});

test('a window that would make replies late stops the synthesis, with each step', () => {
  const synthesis = () => synthesised(agents, { batchWindowSeconds: 31 }, patient);
  for (const step of ['charge', 'ship']) {
    expect(synthesis).toThrow(
      `\`batchWindowSeconds\` of Reeve/Default is 31, with which replies may wait for 31 s, but \`completeWithin\` of \`${step}\` of workflow parcel 1, or of its undo, is 60 s. Make it 62 s or more, or leave the window out.`,
    );
  }
  // Calls of five seconds: the shortest window is too long for them.
  expect(() => synthesised(agents, { batchWindowSeconds: 1 })).toThrow('Make it 40 s or more');
});

test('a window that would make the replies of an undo late stops the synthesis, too', () => {
  const own = { workflows: 'test/infra/undo-workflows.ts' };
  expect(() => synthesised(agents, { batchWindowSeconds: 20 }, own)).toThrow(
    '`completeWithin` of `ship` of workflow parcel 1, or of its undo, is 5 s. Make it 40 s or more',
  );
});

test.each([-1, 301, '1.5'])('a window of %s is refused', (batchWindowSeconds) => {
  expect(() => stackWith(agents, { batchWindowSeconds }, patient)).toThrow(
    '`batchWindowSeconds` must be a whole number from 0 to 300',
  );
});
