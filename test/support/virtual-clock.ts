/** A clock whose time passes when a test says so: that of the testing kit. */
import { settled as settledOfKit, type TestClock, testClock } from '#testing/kit/test-clock.ts';

export type VirtualClock = TestClock;
export const virtualClock = testClock;
export const settled = settledOfKit;
