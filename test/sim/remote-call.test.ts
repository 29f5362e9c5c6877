import { expect, test } from 'vitest';
import { machine } from '#sim/world/machine.ts';
import { surroundings } from './support.ts';

test('a lost answer disturbs what the call began, as a fault after its effect does', async () => {
  const around = surroundings({ 'answer-lost': 1 });
  const { faults, timeline } = around;
  let atEffect = 0;
  const call = machine('m', around, () => {}).call({
    what: 'write',
    act() {
      atEffect = faults.count();
    },
  });
  await Promise.all([
    expect(call).rejects.toThrow('answer-lost'),
    timeline.runUntil(timeline.now() + 100),
  ]);
  expect(atEffect).toBeGreaterThan(0);
  expect(faults.count()).toBeGreaterThan(atEffect);
});
