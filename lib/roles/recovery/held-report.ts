/** Reports that orders have waited for an agent for long: now and then per agent, not per order. */
import type { AgentName } from '#core/model/ids.ts';
import { type ProcessRecord, waitsForAgent } from '#core/model/record.ts';
import type { Clock } from '#ports/clock.ts';
import type { Log } from '#ports/log.ts';

/** A shorter hold is not reported, ms: services are often unavailable for minutes. */
export const longHoldMs = 15 * 60_000;
/** Between two reports of one agent, ms. */
const reportEveryMs = 5 * 60_000;

/** The ports of {@link heldReport}. */
export interface HeldReportPorts {
  readonly clock: Clock;
  readonly log: Log;
}

/** Returns the function to call with each record that was written. A record without a held step costs nothing. */
export function heldReport({ clock, log }: HeldReportPorts): (record: ProcessRecord) => void {
  const reportedAt = new Map<AgentName, number>();
  return ({ isHeld, steps }) => {
    if (isHeld !== true) return;
    const nowMs = clock.now();
    for (const { agent, progress } of steps) {
      // What an order waits for that is not first of its singleton key says nothing of its agents.
      if (!waitsForAgent(progress)) continue;
      const heldMs = nowMs - progress.since;
      const last = reportedAt.get(agent);
      // `abs`: a clock that was set back must not silence the report.
      const isRecent = last !== undefined && Math.abs(nowMs - last) < reportEveryMs;
      if (heldMs < longHoldMs || isRecent) continue;
      reportedAt.set(agent, nowMs);
      log.warn('held-for-long', { agent, gate: progress.gate, heldMs });
    }
  };
}
