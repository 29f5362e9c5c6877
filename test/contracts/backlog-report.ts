/** The contract of BacklogReport, tested through the port alone. */
import { beforeEach, describe, expect, test } from 'vitest';
import type { HeldBacklog } from '#core/flow/held-backlog.ts';
import type { BacklogReport } from '#ports/backlog-report.ts';

const at = Date.UTC(2026, 0, 1);
const waiting: HeldBacklog = {
  at,
  classes: [
    {
      agent: 'paint',
      priority: 'low',
      isUnavailable: true,
      waiting: 40,
      flows: 3,
      largest: [{ flow: 'c0ffee', waiting: 30 }],
      perSecond: 12.25,
      from: at - 60_000,
      waitingFrom: 45,
    },
    {
      agent: 'constructor',
      priority: 'high',
      isUnavailable: false,
      waiting: 1,
      flows: 1,
      largest: [],
      perSecond: null,
      from: at,
      waitingFrom: 1,
    },
  ],
};

/** `openEmpty` returns one without a stored report. */
export function backlogReportContract(name: string, openEmpty: () => Promise<BacklogReport>): void {
  describe(`the contract of the backlog report: ${name}`, () => {
    let report: BacklogReport;
    beforeEach(async () => {
      report = await openEmpty();
    });

    test('there is none at first', async () => {
      expect(await report.read()).toBeNull();
    });

    test('it is read as it was stored, the last one that was stored', async () => {
      await report.store(waiting);
      expect(await report.read()).toEqual(waiting);
      const none = { at: at + 60_000, classes: [] };
      await report.store(none);
      expect(await report.read()).toEqual(none);
    });
  });
}
