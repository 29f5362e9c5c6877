/** What is the same for everything in a world. */
import type { Chance } from './chance.ts';
import type { CrashPoints } from './crash-points.ts';
import type { Faults } from './faults.ts';
import type { Timeline } from './timeline.ts';
import type { Trace } from './trace.ts';

export interface Surroundings {
  readonly timeline: Timeline;
  readonly chance: Chance;
  readonly faults: Faults;
  readonly trace: Trace;
  readonly crashPoints: CrashPoints;
}
