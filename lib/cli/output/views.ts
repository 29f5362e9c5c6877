/** The displays of an order that is followed: for programs, for logs, for terminals. */

import type { View } from '#cli/api/follow.ts';
import type { HistoryEntry, OrderDocument } from '#cli/api/response-schemas.ts';
import { type Context, printJson, printLines } from '#cli/context.ts';
import type { CliEnvironment } from '#cli/environment.ts';
import { historySentence } from '#text/history-text.ts';
import { durationText } from '#text/relative-time.ts';
import { historyLines, orderLine, orderLines } from './order-text.ts';
import { heartbeatMs } from './progress.ts';
import { terminalFrame, terminalLine } from './terminal.ts';

const outageText = 'Reeve does not answer; trying again …';

/**
 * A line on standard error for each change of state, and one when nothing has changed for `heartbeatMs`:
 * standard output is for the result.
 */
export function noteView({ environment }: Context): View {
  const beganMs = environment.now();
  let shown = '';
  let shownMs = beganMs;
  const order: View['order'] = ({ value }) => {
    const nowMs = environment.now();
    const line = orderLine(value, (_, text) => text);
    const isNews = line !== shown;
    if (!isNews && nowMs - shownMs < heartbeatMs) return;
    const waited = `no change; waiting for ${durationText(nowMs - beganMs)}`;
    environment.stderr(isNews ? `${line}\n` : `${line}  (${waited})\n`);
    shown = line;
    shownMs = nowMs;
  };
  return { order, outage: noteOutage(environment), close: () => {} };
}

/** One line on a terminal, rewritten at every poll and cleared at the end. */
export function lineView({ environment, paint }: Context): View {
  const line = terminalLine(environment);
  return {
    order: ({ value }) => line.write(orderLine(value, paint)),
    outage: () => line.write(paint('yellow', outageText)),
    close: line.clear,
  };
}

/** Every revision as a document, one per line. */
export function jsonView({ environment }: Context): View {
  let shown = 0;
  const order: View['order'] = ({ json, value }) => {
    if (value.revision === shown) return;
    shown = value.revision;
    printJson(environment, json);
  };
  return { order, outage: noteOutage(environment), close: () => {} };
}

/** Every history entry as a line with its instant, for logs. */
export function changesView({ environment }: Context): View {
  let shown = { revision: 0, entries: 0 };
  const order: View['order'] = ({ value: { history, revision } }) => {
    if (revision === shown.revision) return;
    const numbers = entryNumbers(history);
    const from = numbers.findIndex((number) => number > shown.entries);
    // A revision without a new entry has changed the last one: it counts the nudges of an unclaimed order.
    const lines = history
      .slice(from < 0 ? -1 : from)
      .map((entry) => `${new Date(entry.at).toISOString()}  ${historySentence(entry)}`);
    printLines(environment, lines);
    shown = { revision, entries: numbers.at(-1) ?? 0 };
  };
  return { order, outage: noteOutage(environment), close: () => {} };
}

/** The number of each entry, which stays when the history is shortened: the entry that says so stands for those that were dropped. */
function entryNumbers(history: readonly HistoryEntry[]): readonly number[] {
  let number = 0;
  return history.map((entry) => (number += entry.type === 'shortened' ? entry.entries : 1));
}

/** The whole order on a terminal, redrawn at every poll; a long history is cut to its latest entries. */
export function frameView(context: Context): View {
  const { environment, paint } = context;
  const frame = terminalFrame(environment);
  let latest: OrderDocument | null = null;
  return {
    order: ({ value }) => {
      latest = value;
      const nowMs = environment.now();
      const order = orderLines(value, nowMs, context);
      frame.draw([...order, ''], historyLines(value, nowMs, paint));
    },
    outage: () => {
      const order = latest === null ? [] : orderLines(latest, environment.now(), context);
      frame.draw([...order, ''], [paint('yellow', outageText)]);
    },
    close: frame.clear,
  };
}

function noteOutage(world: CliEnvironment): () => void {
  return () => world.stderr(`${outageText}\n`);
}
