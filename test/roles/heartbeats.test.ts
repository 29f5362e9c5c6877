/** The heartbeats of an agent, as the core takes them: some take longer to arrive than others, and clocks differ. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decide } from '#core/decide/decide.ts';
import { stepName } from '#core/model/ids.ts';
import { underWay } from '#core/model/record.ts';
import type { Clock } from '#ports/clock.ts';
import { callsOf } from '#roles/agent/agent-call.ts';
import { deadline } from '#roles/agent/deadline.ts';
import { openDeadlines } from '#roles/agent/open-deadlines.ts';
import { claim, epoch, flow, submit } from '../core/support.ts';

const completeWithinMs = 10_000;
const name = stepName('a');

/** A call that reports progress; `arrivals`: by how long each heartbeat is late, ms, with the difference of the clocks. */
function heldUp(everyMs: number, arrivals: readonly number[]) {
  const durationMs = 100 * completeWithinMs;
  const { record: first, known } = submit(
    flow({ a: { completeWithin: completeWithinMs, maxDuration: durationMs } }),
  );
  const started = decide(first, claim(), known, epoch);
  if (started.kind === 'ignored') throw new Error('The step does not start.');
  const [request] = started.commands.flatMap((command) =>
    command.kind === 'request' ? [command.request] : [],
  );
  if (request === undefined) throw new Error('The step has no request.');
  let { record } = started;
  let nowMs = epoch;
  const clock: Clock = { now: () => nowMs, after: () => () => {} };
  let sent = 0;
  let counted = 0;
  const inTransit: number[] = [];
  const limit = deadline(clock, request.completeBy, openDeadlines(clock));
  const call = callsOf(clock, request, limit, () => {
    inTransit.push(nowMs + (arrivals[sent % arrivals.length] ?? 0));
    sent += 1;
  })(null, limit);
  const completeBy = () => {
    const [step] = record.steps;
    return step !== undefined && underWay(step.progress) ? step.progress.completeBy : 0;
  };
  while (nowMs < request.endBy - completeWithinMs) {
    nowMs += everyMs;
    for (const at of inTransit.splice(0).toSorted((a, b) => a - b)) {
      if (at > nowMs) {
        inTransit.push(at);
        continue;
      }
      const event = { type: 'heartbeat', step: name, agent: request.agent, attempt: 1 } as const;
      const decision = decide(record, event, known, at);
      if (decision.kind === 'ignored') continue;
      counted += 1;
      record = decision.record;
    }
    if (nowMs > completeBy()) return { lateAt: nowMs - epoch, sent, counted };
    call.heartbeat();
  }
  return { lateAt: null, sent, counted };
}

test('an attempt whose code reports progress in time does not time out, however unequal its heartbeats arrive', () => {
  const arrival = fc.integer({ min: 0, max: completeWithinMs / 4 });
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: completeWithinMs / 8 }),
      fc.array(arrival, { minLength: 1, maxLength: 20 }),
      (everyMs, arrivals) => {
        const { lateAt, sent, counted } = heldUp(Math.max(everyMs, 50), arrivals);
        expect(lateAt).toBeNull();
        expect(sent).toBeLessThanOrEqual(200);
        expect(counted).toBeGreaterThanOrEqual(sent - 2);
      },
    ),
    { numRuns: 60 },
  );
});
