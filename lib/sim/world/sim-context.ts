/** The context shared by all parts of a world. */

import type { CrashPoints } from '#sim/faults/crash-points.ts';
import type { Faults } from '#sim/faults/fault-rates.ts';
import type { Subject } from '#sim/orders/subject.ts';
import type { Chance } from './chance.ts';
import type { Trace } from './trace.ts';
import type { Timeline } from './virtual-time.ts';

export interface SimContext {
  readonly timeline: Timeline;
  readonly chance: Chance;
  readonly subject: Subject;
  readonly faults: Faults;
  readonly trace: Trace;
  readonly crashPoints: CrashPoints;
}
