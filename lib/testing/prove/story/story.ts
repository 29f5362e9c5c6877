/** The shortest way to a mistake as people read it: some lines in words, of the orders and steps that it is about. */
import { brokenText, processGone, type StoryEvent, storyEvents } from './story-event.ts';

/** The ids of the orders of simulated worlds. */
const orderIds = /\bk[0-9a-f]{40}\b/g;

/** Lines of a story, at most. */
const storyLinesMax = 15;

export interface StoryOptions {
  /** The lines of the trace. */
  readonly trace: readonly string[];
  /** The story ends where it is broken. */
  readonly rule: string;
  /** About the case: the orders and steps that it names are those of the story. */
  readonly message: string;
  /** Receives the names of orders by their ids. */
  readonly names: Map<string, string>;
}

export function storyOf({ trace, rule, message, names }: StoryOptions): readonly string[] {
  const orders = new Set(message.match(orderIds) ?? []);
  const isPart = ({ order }: StoryEvent) =>
    order === null || orders.size === 0 || orders.has(order);
  const events = inOrder(untilBroken(storyEvents(trace), rule).filter(isPart));
  const ids = new Set(events.flatMap(({ order }) => order ?? []));
  const start = events[0]?.atMs ?? 0;
  const lines = shortEnough(events, message).map(({ atMs, text, order }) => {
    const of = ids.size > 1 && order !== null && !text.includes(order) ? `${order}: ` : '';
    return `${clockText(atMs - start)}  ${of}${text}`;
  });
  return cut(lines).map((text) => withNames(text, names));
}

function untilBroken(events: readonly StoryEvent[], rule: string): readonly StoryEvent[] {
  const end = events.findIndex(({ text }) => text === brokenText(rule));
  return end < 0 ? events : events.slice(0, end + 1);
}

/** At one instant, what a service does comes before what becomes of its answer; and a process ends once. */
function inOrder(events: readonly StoryEvent[]): readonly StoryEvent[] {
  const all: StoryEvent[] = [];
  for (const event of events) {
    const before = all.at(-1);
    const isSame = before?.atMs === event.atMs && before.kind === 'fault';
    if (isSame && event.kind === 'effect' && isOfAnswer(before.text)) all.splice(-1, 0, event);
    else if (!(isSame && event.text === processGone && isOfProcess(before.text))) all.push(event);
  }
  return all;
}

const isOfAnswer = (text: string) => /^the (answer|process stops before the answer) of /.test(text);
const isOfProcess = (text: string) => text.startsWith('the process stops');

/** Leaves out more and more, until the story is short. */
function shortEnough(events: readonly StoryEvent[], message: string): readonly StoryEvent[] {
  let short = events;
  for (const shorter of [
    joined,
    onlyMatter(message, true),
    joined,
    once,
    onlyMatter(message, false),
    joined,
  ]) {
    if (short.length <= storyLinesMax) break;
    short = shorter(short);
  }
  return short;
}

/** Without the effects of steps that the mistake is not about, also of those that something fails for. */
const onlyMatter =
  (message: string, keepsFailed: boolean) =>
  (events: readonly StoryEvent[]): readonly StoryEvent[] => {
    const words = new Set(message.split(/[^\w-]+/));
    const failed = events.flatMap(({ kind, step }) => (kind === 'fault' ? [step] : []));
    const matters = ({ kind, step }: StoryEvent) =>
      kind !== 'effect' ||
      step === null ||
      words.has(step) ||
      (keepsFailed && failed.includes(step));
    return events.filter(matters);
  };

const doneText = /^(the undos? of )?(.+) (?:is|are) done(.*)$/;

/** Steps that are done one after the other, in one line. */
function joined(events: readonly StoryEvent[]): readonly StoryEvent[] {
  const all: StoryEvent[] = [];
  for (const event of events) {
    const before = all.at(-1);
    const [, undo, steps, end] = doneText.exec(event.text) ?? [];
    const [, undoBefore, stepsBefore, rest] = doneText.exec(before?.text ?? '') ?? [];
    const isUndo = undo !== undefined;
    const isSame = before?.order === event.order && isUndo === (undoBefore !== undefined);
    if (steps === undefined || stepsBefore === undefined || rest !== '' || !isSame) all.push(event);
    else {
      const names = `${stepsBefore}, ${steps}`.split(/, | and /);
      const listed = `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
      const text = `${isUndo ? 'the undos of ' : ''}${listed} are done${end}`;
      all.splice(-1, 1, { ...event, text });
    }
  }
  return all;
}

/** What happens again and again, said once. */
function once(events: readonly StoryEvent[]): readonly StoryEvent[] {
  const times = new Map<string, number>();
  const idOf = ({ order, text }: StoryEvent) => `${order} ${text}`;
  for (const event of events) times.set(idOf(event), (times.get(idOf(event)) ?? 0) + 1);
  const seen = new Set<string>();
  return events.flatMap((event) => {
    const id = idOf(event);
    if (seen.has(id)) return [];
    seen.add(id);
    const count = times.get(id) ?? 1;
    return [count === 1 ? event : { ...event, text: `${event.text} (${count} times)` }];
  });
}

/** A story without its middle, where it is too long. */
export function cut(lines: readonly string[]): readonly string[] {
  if (lines.length <= storyLinesMax) return lines;
  const last = 9;
  const first = storyLinesMax - last - 1;
  const left = lines.length - first - last;
  return [...lines.slice(0, first), `(${left} lines are left out)`, ...lines.slice(-last)];
}

/** `order-1` in the place of its id. */
export const withNames = (text: string, names: Map<string, string>): string =>
  text.replaceAll(orderIds, (id) => {
    const name = names.get(id) ?? `order-${names.size + 1}`;
    names.set(id, name);
    return name;
  });

function clockText(ms: number): string {
  const digits = (value: number, count: number) => String(value).padStart(count, '0');
  const seconds = Math.floor(ms / 1_000);
  const [hours, minutes] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60];
  return `${digits(hours, 2)}:${digits(minutes, 2)}:${digits(seconds % 60, 2)}.${digits(ms % 1_000, 3)}`;
}
