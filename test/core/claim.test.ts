/** Submit and claim, one line per transition (R3, R4, R8, R14). */
import { describe, expect, it } from 'vitest';
import { claimsAllowed } from '#core/decide/claim.ts';
import { decide } from '#core/decide/decide.ts';
import { submitted } from '#core/decide/submit.ts';
import type { RecordEvent } from '#core/model/event.ts';
import type { HistoryEntry } from '#core/model/history.ts';
import { schedulerId, writeId } from '#core/model/ids.ts';
import {
  apply,
  cancel,
  claim,
  diamond,
  epoch,
  expire,
  flow,
  ignored,
  no,
  ok,
  order,
  play,
  resubmit,
  type Situation,
  type StepSpec,
  submit,
  transitions,
} from './support.ts';

const pending = submit(diamond());
const started = play(pending, [0, claim()]);
const aDone = play(started, [10, ok('a')]);
const abDone = play(aDone, [20, ok('b')]);
const cDone = play(abDone, [30, ok('c')]);

describe('submit', () => {
  const event = {
    type: 'submit',
    by: 'ada',
    orderId: order,
    priority: 'low',
    tenant: 't',
    replyTo: 'r',
    correlationId: 'c',
  } as const;
  const definition = diamond();
  const first = () => submitted(event, definition, epoch, writeId('w-9'));

  it('creates a Pending, unlocked record without a complete-by or a failure', () => {
    const [a] = definition.steps;
    expect(first().record).toEqual({
      orderId: 'o-1',
      workflow: 'flow',
      workflowVersion: 1,
      fingerprint: definition.fingerprint,
      processState: 'Pending',
      lockedBy: null,
      completeBy: null,
      failureCount: 0,
      direction: 'forward',
      steps: ['a', 'b', 'c', 'd'].map((name) => ({
        name,
        agent: `svc-${name}`,
        policy: name === 'd' ? definition.steps[3]?.policy : a?.policy,
        attempt: 0,
        failures: 0,
        keyGeneration: 1,
        doubtUntil: null,
        progress: { state: 'NotStarted' },
      })),
      fault: null,
      priority: 'low',
      tenant: 't',
      replyTo: 'r',
      correlationId: 'c',
      notBefore: epoch,
      revision: 1,
      writeId: 'w-9',
      history: [{ type: 'submit', at: epoch, by: 'ada' }],
      submittedAt: epoch,
      updatedAt: epoch,
    });
  });

  it('nudges the Scheduler', () => {
    expect(first().commands).toEqual([
      { kind: 'nudge', nudge: { orderId: 'o-1', priority: 'low', tenant: 't' } },
    ]);
  });
});

describe('claim', () => {
  const coolingDown = play(
    submit(diamond({ a: { retries: 0, coolDown: { after: 500, times: 1 } } })),
    [0, claim()],
    [10, ok('b')],
    [1_001, expire],
  );
  transitions([
    [
      'starts every ready step of a Pending order',
      pending,
      5,
      claim(),
      [
        'Processing a:R1<1005 b:R1<1005 c:- d:-',
        'perform a1 o-1/a <1005',
        'perform b1 o-1/b <1005',
      ],
    ],
    [
      'is ignored while another Scheduler has the lock',
      started,
      5,
      claim('s-2'),
      ignored('not-pending'),
    ],
    ['is ignored before notBefore', coolingDown, 1_500, claim(), ignored('not-before')],
    [
      'comes at notBefore, and starts the next attempt under the same key',
      coolingDown,
      1_501,
      claim(),
      ['Processing a:R2!1<2501 b:C1 c:- d:-', 'perform a2 o-1/a <2501'],
    ],
    [
      'of an order that is Processed is ignored',
      play(cDone, [40, ok('d')]),
      50,
      claim(),
      ignored('not-pending'),
    ],
    [
      'of an order in Error is ignored',
      play(submit(diamond({ a: { onFault: 'hold' } })), [0, claim()], [5, no('a')]),
      6,
      claim(),
      ignored('not-pending'),
    ],
    [
      'starts nothing twice: what still runs is only waited for',
      play(
        started,
        [10, ok('a')],
        [1_001, expire],
        [1_002, claim()],
        [1_003, ok('b', 2)],
        [2_010, expire],
      ),
      2_011,
      claim(),
      ['Processing a:C1 b:C2!1 c:R2!1<3011 d:-', 'perform c2 o-1/c <3011'],
    ],
  ]);

  it('takes the lock for the Scheduler that claims', () => {
    const record = apply(pending.record, claim('s-7'), epoch + 5, pending.known);
    expect(record).toMatchObject({
      processState: 'Processing',
      lockedBy: 's-7',
      completeBy: epoch + 1_005,
      revision: 2,
      updatedAt: epoch + 5,
    });
    expect(record.history.at(-1)).toEqual({
      type: 'claim',
      at: epoch + 5,
      by: 's-7',
      definitionUnknown: false,
    });
  });

  it('sends a request that says everything an agent needs', () => {
    const { known, record } = aDone;
    const decision = decide(record, ok('b'), known, epoch + 20);
    expect(decision.kind === 'transition' && decision.commands).toEqual([
      {
        kind: 'request',
        request: {
          orderId: 'o-1',
          workflow: 'flow',
          step: 'c',
          agent: 'svc-c',
          attempt: 1,
          action: 'perform',
          idempotencyKey: 'o-1/c',
          performKey: 'o-1/c',
          completeBy: epoch + 1_020,
          completeWithinMs: 1_000,
          endBy: epoch + 1_020,
          input: { for: 'c', outputs: { a: 'a done', b: 'b done' } },
          output: null,
          priority: 'high',
          tenant: 'acme',
        },
      },
    ]);
  });

  it('passes the details and the order id to the step', () => {
    const seen: unknown[] = [];
    const { record, known } = submit(
      flow({
        a: {
          input: (context) => {
            seen.push(context);
            return null;
          },
        },
      }),
    );
    apply(record, claim(), epoch, known);
    expect(seen).toEqual([{ orderId: 'o-1', details: { n: 1 }, outputs: {} }]);
  });

  it('parks an order whose definition is unknown, and starts nothing', () => {
    const decision = decide(pending.record, claim(), null, epoch + 5);
    if (decision.kind === 'ignored') throw new Error(decision.reason);
    expect(decision.commands).toEqual([]);
    expect(decision.record).toMatchObject({
      processState: 'Error',
      lockedBy: null,
      completeBy: null,
      fault: {
        code: 'workflow-unknown',
        message:
          'No workflow flow@1 as it was when the order was submitted. Deploy that version, then resubmit.',
        effect: 'none',
        step: null,
        action: null,
      },
    });
    expect(decision.record.history.at(-1)).toMatchObject({
      type: 'claim',
      definitionUnknown: true,
    });
  });
});

describe('a claim too many (R14)', () => {
  // One step: 200 spare + (1 retry + 1) × (0 cool-downs + 1).
  const allowed = 202;
  const by = 'olga';
  const fresh = submit(flow({ a: {} }));
  const claimed = (claims: number, ...then: readonly RecordEvent[]) =>
    play(claimedSince([], claims - 1), ...then.map((event) => [0, event] as const));
  const claimedSince = (since: readonly HistoryEntry[], claims: number): Situation => ({
    known: fresh.known,
    get record() {
      const one = {
        type: 'claim',
        at: epoch,
        by: schedulerId('s-1'),
        definitionUnknown: false,
      } as const;
      const { record } = fresh;
      const repeated = Array.from({ length: claims }, () => one);
      return { ...record, history: [...record.history, one, ...since, ...repeated] };
    },
  });
  transitions([
    [
      'is the one after those its policies can cause and a reserve',
      claimed(allowed),
      1,
      claim(),
      ['Error(too-many-claims) a:-'],
    ],
    [
      'is not the last of them',
      claimed(allowed - 1),
      1,
      claim(),
      ['Processing a:R1<1001', 'perform a1 o-1/a <1001'],
    ],
    [
      'is counted anew after a resubmit',
      claimed(allowed, claim(), resubmit),
      1,
      claim(),
      ['Processing a:R1<1001', 'perform a1 o-1/a <1001'],
    ],
    [
      'is counted from the resubmit on',
      claimedSince([{ type: 'resubmit', at: epoch, by, corrections: [] }], allowed - 1),
      1,
      claim(),
      ['Processing a:R1<1001', 'perform a1 o-1/a <1001'],
    ],
    [
      'is counted from the resubmit on, to the last',
      claimedSince([{ type: 'resubmit', at: epoch, by, corrections: [] }], allowed),
      1,
      claim(),
      ['Error(too-many-claims) a:-'],
    ],
    ['is counted anew after a cancel', claimed(allowed, cancel), 1, claim(), ['Undone undo a:-']],
  ]);

  it('counts retries and cool-downs of every step, and from the begin of an undo also those of the undo', () => {
    const undoPolicy = { retries: 4, coolDown: { after: 100, times: 1 } };
    const a: StepSpec = { retries: 2, coolDown: { after: 100, times: 3 }, undoPolicy };
    const two = play(submit(flow({ a, b: {} })), [0, claim()]);
    const forward = 200 + 3 * 4 + 2;
    expect(claimsAllowed(two.record)).toBe(forward);
    expect(claimsAllowed(play(two, [1, cancel]).record)).toBe(forward + 5 * 2 + 2 * 103);
  });

  it('gives their number and the remedy', () => {
    const parked = play(claimed(allowed), [1, claim()]).record;
    expect(parked.fault).toEqual({
      code: 'too-many-claims',
      message: 'Claimed 202 times without an end. Find out what interrupts it, then resubmit.',
      effect: 'none',
      step: null,
      action: null,
    });
  });
});
