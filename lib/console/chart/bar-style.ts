/** The names of the bars of a timeline. */

import type { IconName } from '#console/parts/icon-paths.ts';
import { lengthText } from '#console/parts/instants.ts';
import type { Bar, BarKind } from './bar.ts';
import type { Timeline } from './timeline.ts';

const words: Readonly<Record<BarKind, string>> = {
  running: 'running',
  succeeded: 'succeeded',
  failed: 'failed',
  timedOut: 'timed out',
  interrupted: 'interrupted',
  deferred: 'deferred by its agent',
  coolDown: 'cool-down',
  interruption: 'waiting after an interruption',
  doubt: 'waiting until no call can be at work',
  hold: 'held',
};

const icons: Readonly<Record<BarKind, IconName>> = {
  running: 'run',
  succeeded: 'check',
  failed: 'cross',
  timedOut: 'clock',
  interrupted: 'skip',
  deferred: 'pause',
  coolDown: 'pause',
  interruption: 'pause',
  doubt: 'pause',
  hold: 'pause',
};

const waits: ReadonlySet<BarKind> = new Set(['coolDown', 'interruption', 'doubt', 'hold']);

function wordOf({ kind, action, late }: Pick<Bar, 'kind' | 'action' | 'late'>): string {
  const isCall = !waits.has(kind);
  return `${isCall && action === 'undo' ? 'undo ' : ''}${words[kind]}${late ? ', answered late' : ''}`;
}

export function barStyle(
  bar: Bar,
  end: number,
): { readonly said: string; readonly icon: IconName } {
  const { kind, action, attempt, from, to, fault } = bar;
  const length = lengthText(Math.max(0, (to ?? end) - from));
  const icon = action === 'undo' && kind === 'succeeded' ? 'back' : icons[kind];
  if (attempt === 0) return { said: `${wordOf(bar)} for ${length}`, icon };
  const after = kind === 'running' ? 'for' : 'after';
  const why = fault === null ? '' : ` (${fault})`;
  return { said: `Call ${attempt}: ${wordOf(bar)} ${after} ${length}${why}`, icon };
}

/** Each kind of bar once, in the order in which they first come. */
export function barsShown({ lanes }: Timeline) {
  const shown = new Map<
    string,
    Pick<Bar, 'kind' | 'action' | 'late'> & { readonly word: string }
  >();
  for (const bar of lanes.flatMap(({ bars }) => bars).toSorted((a, b) => a.from - b.from)) {
    const { kind, action, late } = bar;
    const word = wordOf(bar);
    if (!shown.has(word)) shown.set(word, { kind, action, late, word });
  }
  return [...shown.values()];
}
