/** An order's calls and waits as bars, one row for each step, and what operators did as marks. */

import type { Order } from '#console/api/documents.ts';
import { historyLine } from '#console/order/history-lines.ts';
import type { HistoryLine } from '#text/history-entry.ts';
import { historySentence } from '#text/history-text.ts';
import { type Bar, callBar, waitBar } from './bar.ts';

export interface Lane {
  readonly step: string;
  readonly agent: string;
  readonly bars: readonly Bar[];
}

/** An event of the whole order. */
export interface Mark {
  readonly at: number;
  readonly kind: 'resubmit' | 'cancel' | 'reprioritise';
  readonly title: string;
}

export interface Timeline {
  readonly lanes: readonly Lane[];
  readonly marks: readonly Mark[];
  readonly from: number;
  /** The end of the last bar; null while one lasts. */
  readonly to: number | null;
}

/** A shorter wait gets no bar, ms. */
const waitMinMs = 100;

export function timeline(order: Order): Timeline {
  const history = order.history.map(historyLine);
  const submittedAt = Date.parse(order.submittedAt);
  const lanes = Object.entries(order.steps).map(([step, { agent }]) => {
    const calls = order.calls.filter((call) => call.step === step);
    const waits = order.waits.filter((wait) => wait.step === step).map(waitBar);
    const long = waits.filter(({ from, to }) => (to ?? from) - from >= waitMinMs);
    const bars = [...calls.map((call) => callBar(call, submittedAt)), ...long];
    return { step, agent, bars: bars.sort((one, other) => one.from - other.from) };
  });
  const all = lanes.flatMap((lane) => lane.bars);
  const isOver = all.every(({ to }) => to !== null) && isSettled(order);
  const ends = [...history.map(({ at }) => at), ...all.map(({ to }) => to ?? 0)];
  return {
    lanes,
    marks: history.flatMap(markOf),
    from: submittedAt,
    to: isOver ? Math.max(...ends) : null,
  };
}

function isSettled({ processState }: Order): boolean {
  return processState === 'Processed' || processState === 'Undone' || processState === 'Error';
}

function markOf(entry: HistoryLine): Mark[] {
  switch (entry.type) {
    case 'resubmit':
    case 'cancel':
    case 'reprioritise':
      return [{ at: entry.at, kind: entry.type, title: historySentence(entry) }];
    default:
      return [];
  }
}
