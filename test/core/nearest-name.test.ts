import { expect, it } from 'vitest';
import { nearestName } from '#text/nearest-name.ts';

const names = ['shards', 'stage', 'alarmEmail', 'correlationId', 'since', 'state', 'step'];

it.each([
  ['shardz', 'shards'],
  ['Stage', 'stage'],
  ['alarmemail', 'alarmEmail'],
  ['alarm-email', 'alarmEmail'],
  ['correlation', 'correlationId'],
  ['stat', 'state'],
  ['sinse', 'since'],
  ['colour', undefined],
  ['st', undefined],
  ['keepDays', undefined],
])('%s is near %s', (given, near) => {
  expect(nearestName(given, names)).toBe(near);
});
