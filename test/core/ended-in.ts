/** The attempts that ended in a world, seen from its revisions alone, each beside the one before. */
import type { HistoryEntry } from '#core/model/history.ts';
import type { Action, StepName } from '#core/model/ids.ts';
import { findStep, type ProcessRecord, underWay } from '#core/model/record.ts';
import { moves } from './world.ts';

export interface SeenEnd {
  readonly step: StepName;
  readonly attempt: number;
  readonly action: Action;
  readonly at: number;
  /** The index of the revision that ended it. */
  readonly by: number;
  readonly type: HistoryEntry['type'] | undefined;
}

export function endedIn(written: readonly ProcessRecord[]): readonly SeenEnd[] {
  return written.flatMap((after, by) =>
    (written[by - 1]?.steps ?? []).flatMap(({ name, attempt, progress }): SeenEnd[] => {
      if (!underWay(progress)) return [];
      const is = findStep(after, name);
      if (is === undefined || (is.attempt === attempt && underWay(is.progress))) return [];
      const action = progress.state === 'Undoing' ? 'undo' : 'perform';
      const type = after.history.at(-1)?.type;
      return [{ step: name, attempt, action, at: after.updatedAt, by, type }];
    }),
  );
}

/** Without jumps of the clock, which make holds longer than the history shows. */
export const steadyMoves = moves.map((drawn) => drawn.filter(({ what }) => what.do !== 'wait'));
