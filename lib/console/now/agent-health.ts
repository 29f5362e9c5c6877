/**
 * The health of an agent from its calls of the last hour, with all thresholds of the console.
 * A refusal by the service counts as a failed call, as in the success rate that is shown beside it.
 */
import type { AgentActivity } from '#console/api/documents.ts';
import type { IconName } from '#console/parts/icon-paths.ts';
import type { Tone } from '#console/parts/state-words.ts';

/** Shares of succeeded calls: good from `good`, in need of attention below `fair`. */
const successMin = { good: 0.99, fair: 0.95 } as const;
/** With fewer calls one failure moves the share by more than the thresholds lie apart. */
export const callsMin = 20;
/** Fewer calls suffice for a judgement when most of them fail. */
const mostlyFailing = { calls: 5, share: 0.5 } as const;

export interface Health {
  readonly word: string;
  readonly tone: Tone;
  readonly icon: IconName;
  readonly title: string;
}

type Counted = Pick<AgentActivity, 'succeeded' | 'failed' | 'timedOut' | 'circuit' | 'state'>;

export function healthOf({ succeeded, failed, timedOut, circuit, state }: Counted): Health {
  if (state === 'draining') return looks.draining;
  if (state === 'drained') return looks.drained;
  const calls = succeeded + failed + timedOut;
  const share = calls === 0 ? 1 : succeeded / calls;
  if (circuit.state === 'open') return looks.open;
  if (circuit.state === 'half-open') return looks.trying;
  if (circuit.state === 'recovering') return looks.recovering;
  if (calls === 0) return looks.none;
  if (calls < callsMin) {
    const isFailing = calls >= mostlyFailing.calls && share < mostlyFailing.share;
    return isFailing ? looks.failing : looks.few;
  }
  if (share >= successMin.good) return looks.good;
  return share >= successMin.fair ? looks.fair : looks.failing;
}

const percent = (share: number) => `${share * 100} %`;

const looks = {
  good: {
    word: 'Healthy',
    tone: 'good',
    icon: 'check',
    title: `At least ${percent(successMin.good)} of the calls of the last hour succeeded.`,
  },
  fair: {
    word: 'Degraded',
    tone: 'back',
    icon: 'alert',
    title: `Less than ${percent(successMin.good)} of the calls of the last hour succeeded.`,
  },
  failing: {
    word: 'Failing',
    tone: 'bad',
    icon: 'alert',
    title: `Less than ${percent(successMin.fair)} of the calls of the last hour succeeded.`,
  },
  draining: {
    word: 'Draining',
    tone: 'idle',
    icon: 'pause',
    title: 'An operator lets no new calls go to it; some are in flight.',
  },
  drained: {
    word: 'Drained',
    tone: 'idle',
    icon: 'pause',
    title: 'An operator lets no new calls go to it, and none is in flight.',
  },
  few: {
    word: 'Few calls',
    tone: 'idle',
    icon: 'skip',
    title: `Fewer than ${callsMin} calls in the last hour, too few to judge.`,
  },
  none: { word: 'No calls', tone: 'idle', icon: 'skip', title: 'No call in the last hour.' },
  open: {
    word: 'Circuit open',
    tone: 'bad',
    icon: 'cross',
    title: 'The service is unavailable: orders wait for it, and no failure is counted.',
  },
  trying: {
    word: 'Circuit half open',
    tone: 'back',
    icon: 'wait',
    title: 'One call tests whether the service is available again.',
  },
  recovering: {
    word: 'Circuit recovering',
    tone: 'back',
    icon: 'wait',
    title: 'The service is available again; the rate of calls increases.',
  },
} as const satisfies Record<string, Health>;
