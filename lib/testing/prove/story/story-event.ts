/** What happened in a world, as an event of a story. Each is read from one line of the trace; most lines are none. */
import { isDrawn } from '#sim/faults/fault-rates.ts';
import { outageKinds } from '#sim/faults/service-outage.ts';
import { findingKinds, isFindingKind } from '../finding.ts';
import { arrivalWords, durationText, faultWords, outageWords } from './fault-words.ts';
import { type OrderWrites, orderWrites } from './order-writes.ts';

/**
 * `fault`: something fails. `effect`: a service takes effect, or takes it back. `done`: a step or its undo has succeeded.
 * `turn`: the order takes another way. `end`: it has ended, or a rule is broken.
 */
type EventKind = 'fault' | 'effect' | 'done' | 'turn' | 'end';

export interface StoryEvent {
  /** Since the begin of the world, ms. */
  readonly atMs: number;
  readonly kind: EventKind;
  readonly text: string;
  /** The id; null: of the whole world. */
  readonly order: string | null;
  readonly step: string | null;
}

/** The last line of a story. */
export const brokenText = (rule: string): string =>
  isFindingKind(rule) ? `BROKEN ${rule}: ${findingKinds[rule]}` : `BROKEN ${rule}`;

/** What a line says, without its instant. */
export type Said = Omit<StoryEvent, 'atMs'>;

const line = /^(\d+):(\d\d):(\d\d)\.(\d\d\d) {2}(.*)$/;

/** Reads the lines of one trace, in their order. */
export function storyEvents(trace: readonly string[]): readonly StoryEvent[] {
  const known: Known = { writes: orderWrites(), messages: new Set() };
  return trace.flatMap((each) => {
    const [, hours, minutes, seconds, ms, text = ''] = line.exec(each) ?? [];
    const atMs =
      Number(hours) * 3_600_000 + Number(minutes) * 60_000 + Number(seconds) * 1_000 + Number(ms);
    return saidBy(text, known).map((said) => ({ atMs, ...said }));
  });
}

/** What was said before. */
interface Known {
  readonly writes: OrderWrites;
  readonly messages: Set<string>;
}

function saidBy(text: string, { writes, messages }: Known): readonly Said[] {
  for (const [pattern, say] of patterns) {
    const [whole, ...parts] = pattern.exec(text) ?? [];
    if (whole !== undefined) return say(parts);
  }
  const [, message, body] = /^\S+ receives (\S+) ?(.*)$/.exec(text) ?? [];
  if (message === undefined || body === undefined) return writes.said(text);
  const isAgain = messages.has(message);
  messages.add(message);
  return isAgain ? receivedAgain(body) : [];
}

/** Of a process whose end another line tells. */
export const processGone = 'a process ends';

/** Lines that need no memory. The name of a service may have spaces. */
const patterns: readonly (readonly [RegExp, (parts: readonly string[]) => readonly Said[]])[] = [
  [/^BROKEN ([\w-]+): /, ([rule = '']) => [ofWorld('end', brokenText(rule))]],
  [
    /^(.+?) (takes effect|takes back its effect) for (\S+) of (\S+) (\(.*\))$/,
    ([service, change, step = '', order = '', key]) => [
      { kind: 'effect', text: `${service} ${change} for ${step} ${key}`, order, step },
    ],
  ],
  [
    /^(.+?) refuses the (\w+) of (\S+)$/,
    ([service, action = '', key = '']) => [
      ofKey('fault', key, (step) => `${service} refuses ${callName(action, step)} for good`),
    ],
  ],
  [
    /^(.+?) for the (\w+) of (\S+) arrives again$/,
    ([request, action = '', key = '']) => [
      ofKey(
        'fault',
        key,
        (step) => `the copy of ${request} for ${callName(action, step)} arrives now`,
      ),
    ],
  ],
  [
    /^\S+: (.+?) for the (\w+) of (\S+): ([\w-]+)$/,
    ([request, action = '', key = '', fault = '']) =>
      faultSaid(arrivalWords, { fault, key, request: `${request} for`, action }),
  ],
  [
    /^(.+?) for the (\w+) of (\S+): ([\w, -]+)$/,
    ([request, action = '', key = '', faults = '']) =>
      faults
        .split(', ')
        .flatMap((fault) =>
          faultSaid(faultWords, { fault, key, request: `${request} for`, action }),
        ),
  ],
  [
    /^\S+ dies before: (.+?) for the (\w+) of (\S+)$/,
    ([request, action = '', key = '']) => [
      ofKey(
        'fault',
        key,
        (step) => `the process stops before ${request} for ${callName(action, step)}`,
      ),
    ],
  ],
  [/^\S+ dies$/, () => [ofWorld('fault', processGone)]],
  [
    /^\S+ freezes for (\d+) ms$/,
    ([ms]) => [ofWorld('fault', `a process stands still for ${durationText(Number(ms))}`)],
  ],
  [
    /^the clock of \S+ is (-?\d+) ms off$/,
    ([ms]) => [ofWorld('fault', `the clock of a process is ${durationText(Number(ms))} off`)],
  ],
  [
    /^the service of (\S+) (\w+) for (\d+) ms$/,
    ([agent, how, ms]) => [
      ofWorld(
        'fault',
        `the service of ${agent} ${outageWords[outageKinds.find((one) => one === how) ?? 'fails']} for ${durationText(Number(ms))}`,
      ),
    ],
  ],
  [
    /^the platform has an outage of (\d+) ms$/,
    ([ms]) => [ofWorld('fault', `every process is down for ${durationText(Number(ms))}`)],
  ],
  [
    /^the store is away for (.+), for (\d+) ms$/,
    ([what, ms]) => [ofWorld('fault', `the store refuses ${what} for ${durationText(Number(ms))}`)],
  ],
];

interface FaultyRequest {
  readonly fault: string;
  readonly key: string;
  readonly request: string;
  readonly action: string;
}

function faultSaid(
  words: typeof faultWords,
  { fault, key, request, action }: FaultyRequest,
): readonly Said[] {
  const say = isDrawn(fault) ? words[fault] : undefined;
  if (say === undefined) return [];
  return [ofKey('fault', key, (step) => say(`${request} ${callName(action, step)}`))];
}

const ofWorld = (kind: EventKind, text: string): Said => ({ kind, text, order: null, step: null });

/** @param key an idempotency key, `order/step` or `order/step#2` */
function ofKey(kind: EventKind, key: string, textFor: (step: string) => string): Said {
  const [order = '', step = ''] = key.split(/[/#]/);
  return { kind, text: textFor(step), order, step };
}

const callName = (action: string, step: string) =>
  action === 'undo' ? `the undo of ${step}` : step;

const messageBody = /"kind":"(\w+)","orderId":"(\w+)"(?:.*?"step":"([^"]+)")?/;

function receivedAgain(body: string): readonly Said[] {
  const [, kind, order, step] = messageBody.exec(body) ?? [];
  if (kind === undefined || order === undefined || step === undefined) return [];
  return [{ kind: 'fault', text: `the ${kind} for ${step} is delivered once more`, order, step }];
}
