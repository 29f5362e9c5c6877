/** The compact history: nudges in a row are one entry, everything else is its own. */
import { describe, expect, it } from 'vitest';
import { appendEntry, type HistoryEntry } from '#core/model/history.ts';
import { stepName } from '#core/model/ids.ts';

const swept = (at: number, nudges: number): HistoryEntry => ({
  type: 'expired',
  at,
  steps: [],
  nudges,
});
const found: HistoryEntry = { type: 'expired', at: 1, steps: [stepName('a')], nudges: 0 };
const interrupted = (at: number, nudges: number): HistoryEntry => ({
  type: 'interrupted',
  at,
  steps: [],
  nudges,
  reason: 'restart',
  notBefore: at,
});
const submitted: HistoryEntry = { type: 'submit', at: 0, by: 'ada' };

describe('a history', () => {
  it.each<[string, HistoryEntry[], HistoryEntry, HistoryEntry[]]>([
    ['begins with its first entry', [], submitted, [submitted]],
    ['may begin with a nudge', [], swept(1, 1), [swept(1, 1)]],
    ['keeps an entry after others', [submitted], swept(1, 1), [submitted, swept(1, 1)]],
    [
      'counts nudges in a row as one',
      [submitted, swept(1, 1)],
      swept(2, 1),
      [submitted, swept(2, 2)],
    ],
    ['counts on', [swept(2, 2)], swept(3, 1), [swept(3, 3)]],
    [
      'counts nudges of restarts in a row as one',
      [interrupted(1, 1)],
      interrupted(2, 1),
      [interrupted(2, 2)],
    ],
    [
      'keeps a nudge after a sweep that found something',
      [found],
      swept(2, 1),
      [found, swept(2, 1)],
    ],
    [
      'keeps a sweep that found something after a nudge',
      [swept(0, 1)],
      found,
      [swept(0, 1), found],
    ],
    ['keeps two sweeps that found something', [found], found, [found, found]],
    [
      'keeps nudges of two kinds apart',
      [swept(1, 1)],
      interrupted(2, 1),
      [swept(1, 1), interrupted(2, 1)],
    ],
    [
      'keeps nudges of two kinds apart, the other way round',
      [interrupted(1, 1)],
      swept(2, 1),
      [interrupted(1, 1), swept(2, 1)],
    ],
  ])('%s', (_, history, entry, expected) => {
    expect(appendEntry(history, entry)).toEqual(expected);
  });
});
