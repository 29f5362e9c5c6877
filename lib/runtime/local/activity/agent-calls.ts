/**
 * Counts the calls to one agent in the last hour by outcome, and keeps their latencies: of calls that succeeded, and of
 * calls that timed out (their whole deadline), because a service that hangs would otherwise look fast.
 */
import { lastHour } from './last-hour.ts';

/** Latencies kept: enough for a 99th percentile of ten calls. */
const samplesMax = 1_000;

/** The calls to one agent. */
export interface AgentCalls {
  succeeded(nowMs: number, latencyMs: number): void;
  failed(nowMs: number): void;
  /** @param latencyMs from the dispatch to the deadline */
  timedOut(nowMs: number, latencyMs: number): void;
  counts(nowMs: number): { succeeded: number; failed: number; timedOut: number };
  /** Null before the first call that succeeded or timed out. */
  latencyMs(): { p50: number; p95: number; p99: number } | null;
}

/** Makes the counts of one agent, all of them 0. */
export function agentCalls(): AgentCalls {
  const hour = lastHour(() => ({ succeeded: 0, failed: 0, timedOut: 0 }));
  const samples = new Float64Array(samplesMax);
  let taken = 0;
  const take = (latencyMs: number) => {
    samples[taken % samplesMax] = latencyMs;
    taken += 1;
  };
  return {
    succeeded(nowMs, latencyMs) {
      hour.now(nowMs).succeeded += 1;
      take(latencyMs);
    },
    failed(nowMs) {
      hour.now(nowMs).failed += 1;
    },
    timedOut(nowMs, latencyMs) {
      hour.now(nowMs).timedOut += 1;
      take(latencyMs);
    },
    counts(nowMs) {
      const sum = { succeeded: 0, failed: 0, timedOut: 0 };
      for (const { slot } of hour.all(nowMs)) {
        sum.succeeded += slot.succeeded;
        sum.failed += slot.failed;
        sum.timedOut += slot.timedOut;
      }
      return sum;
    },
    latencyMs() {
      const sorted = samples.slice(0, Math.min(taken, samplesMax)).sort();
      const at = (part: number) => sorted[Math.ceil(sorted.length * part) - 1] ?? 0;
      return sorted.length === 0 ? null : { p50: at(0.5), p95: at(0.95), p99: at(0.99) };
    },
  };
}
