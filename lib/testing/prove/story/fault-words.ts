/** Faults of a request to a service, in words. Those that show in what follows from them have none. */
import type { DrawnFault } from '#sim/faults/fault-rates.ts';
import type { OutageKind } from '#sim/faults/service-outage.ts';

type FaultWords = Readonly<Partial<Record<DrawnFault, (request: string) => string>>>;

/** Of a request that is sent, by the name of the fault; the argument names the request. */
export const faultWords: FaultWords = {
  'call-slow': (request) => `${request} is slow on its way`,
  'retried-underneath': (request) => `the network keeps a copy of ${request}`,
  'service-down': (request) => `the service fails ${request}, without an effect`,
  'service-late': (request) => `${request} is late on its way`,
  'service-slow': (request) => `the answer of ${request} is slow`,
  'service-unanswering': (request) => `no answer of ${request} ever comes`,
};

/** Of one that arrives. */
export const arrivalWords: FaultWords = {
  'answer-lost': (request) => `the answer of ${request} is lost`,
  'crash-after-call': (request) => `the process stops before the answer of ${request}`,
  'retried-underneath': (request) => `${request} arrives twice`,
};

/** How a service is unavailable. */
export const outageWords: Readonly<Record<OutageKind, string>> = {
  fails: 'fails each request',
  unreachable: 'is unreachable',
  hangs: 'gives no answer',
};

/** A duration as people say it. */
export function durationText(ms: number): string {
  if (ms < 0) return `-${durationText(-ms)}`;
  for (const [unit, size] of units) {
    if (ms >= size) return `${Math.round((10 * ms) / size) / 10} ${unit}`;
  }
  return `${ms} ms`;
}

const units = [
  ['days', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
] as const;
