/** Worlds with faults in which an operator drains agents, and changes weights and limits: all rules hold, and every order ends. */
import { expect, test } from 'vitest';
import { crashPoints } from '#sim/faults/crash-points.ts';
import { simulate } from '#sim/world/simulate.ts';
import { settle } from '#testing/prove/settle.ts';

const points = crashPoints();

test.each([1, 26, 51, 76])(
  '25 worlds with operated agents break no rule, from seed %i',
  async (first) => {
    let drained = 0;
    let limited = 0;
    for (let seed = first; seed < first + 25; seed += 1) {
      const options = { seed, settle, crashPoints: points, operatesAgents: true };
      const { violations, story } = await simulate({ ...options, keepStory: true });
      expect({ seed, violations }).toEqual({ seed, violations: [] });
      drained += story.filter((line) => line.includes('an operator asks to drain')).length;
      limited += story.filter((line) => line.includes('an operator asks to let')).length;
    }
    expect(drained).toBeGreaterThan(25);
    expect(limited).toBeGreaterThan(25);
  },
);
