/**
 * An order's history as bars: every attempt of every step with its end, the waits between them, and
 * what people did. The history does not say when a call went out, because the rules do: a claim starts
 * what is ready, and so does a success while a Scheduler has the order (timeline-walk.ts).
 */
import type { ToldEntry } from '#text/history-entry.ts';
import { historySentence } from '#text/history-text.ts';
import type { Bar } from './bar.ts';
import type { Order, WorkflowStep } from './documents.ts';
import { walk } from './timeline-walk.ts';
import { toldEntry } from './told-history.ts';

export interface Lane {
  readonly step: string;
  readonly agent: string;
  readonly bars: readonly Bar[];
}

/** What happened to the whole order at an instant. */
export interface Mark {
  readonly at: number;
  readonly kind: 'resubmit' | 'cancel';
  readonly title: string;
}

export interface Timeline {
  readonly lanes: readonly Lane[];
  readonly marks: readonly Mark[];
  readonly from: number;
  /** When the last thing of it ended; null while something goes on. */
  readonly to: number | null;
}

/** `definition`: the steps of the workflow's version; null when it is not known any more. */
export function timeline(order: Order, definition: readonly WorkflowStep[] | null): Timeline {
  const history = order.history.map(toldEntry);
  const bars = walk(order, definition, history);
  const lanes = Object.entries(order.steps).map(([step, { agent }]) => ({
    step,
    agent,
    bars: bars.get(step) ?? [],
  }));
  const all = lanes.flatMap((lane) => lane.bars);
  const isOver = all.every(({ to }) => to !== null) && isSettled(order);
  const ends = [...history.map(({ at }) => at), ...all.map(({ to }) => to ?? 0)];
  return {
    lanes,
    marks: history.flatMap(markOf),
    from: Date.parse(order.submittedAt),
    to: isOver ? Math.max(...ends) : null,
  };
}

function isSettled({ processState }: Order): boolean {
  return processState === 'Processed' || processState === 'Undone' || processState === 'Error';
}

function markOf(entry: ToldEntry): Mark[] {
  if (entry.type !== 'resubmit' && entry.type !== 'cancel') return [];
  return [{ at: entry.at, kind: entry.type, title: historySentence(entry) }];
}
