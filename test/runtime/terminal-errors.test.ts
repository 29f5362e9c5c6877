/** Errors of the application's own code on the terminal of `reeve dev`: which are shown, and how often. */
import { expect, test } from 'vitest';
import { terminalErrors } from '#runtime/command/terminal-errors.ts';
import type { CodeError } from '#runtime/local/errors/code-error.ts';
import { virtualClock } from '../support/virtual-clock.ts';

const thrown = (error: unknown = new TypeError('card 4711 is refused')): CodeError => ({
  ...{ workflow: 'shop', step: 'charge', source: 'perform', agent: 'pay', orderId: 'o', error },
});

/** What the terminal shows, and its clock. */
function terminal() {
  const clock = virtualClock();
  const said: string[] = [];
  const screen = { env: {}, terminal: () => null };
  return {
    clock,
    said,
    onError: terminalErrors({ clock, screen, show: (text) => said.push(text) }),
  };
}

test('the terminal shows an error once with its place, and after a minute how often it came again', () => {
  const { clock, said, onError } = terminal();
  onError(thrown());
  onError({ ...thrown(), orderId: 'other' });
  clock.jump(61_000);
  onError(thrown());
  onError(thrown(new TypeError('another\u001b[2J')));
  expect(said).toHaveLength(3);
  expect(said[0]).toMatch(
    /^The perform of agent pay in step charge failed: TypeError: card 4711 is refused\n {4}at .*terminal-errors\.test\.ts:\d+/,
  );
  expect(said[1]).toBe(
    'The perform of agent pay in step charge failed again (2 more): TypeError: card 4711 is refused\n',
  );
  expect(said[2]).not.toContain('\u001b');
});

test('an error that comes again is shown after exactly a minute', () => {
  const { clock, said, onError } = terminal();
  onError(thrown());
  clock.jump(59_999);
  onError(thrown());
  expect(said).toHaveLength(1);
  clock.jump(1);
  onError(thrown());
  expect(said.slice(1)).toEqual([expect.stringContaining(' failed again (2 more): ')]);
});

test('an error that comes again after the clock was set back by more than a minute is shown', () => {
  const { clock, said, onError } = terminal();
  onError(thrown());
  clock.jump(-3_600_000);
  onError(thrown());
  expect(said.slice(1)).toEqual([expect.stringContaining(' failed again (1 more): ')]);
});

test('of a thousand errors each one is known, and after another one all are new again', () => {
  const { clock, said, onError } = terminal();
  const numbered = (number: number) => thrown(new Error(`order ${number}`));
  for (let number = 1; number <= 1_000; number += 1) onError(numbered(number));
  clock.jump(60_000);
  for (const number of [1, 1_000, 2]) onError(numbered(number));
  expect(said.slice(1_000)).toEqual([
    expect.stringMatching(/ failed again \(1 more\): Error: order 1\n/),
    expect.stringMatching(/ failed again \(1 more\): Error: order 1000\n/),
    expect.stringMatching(/ failed again \(1 more\): Error: order 2\n/),
  ]);
  onError(numbered(1_001));
  clock.jump(60_000);
  onError(numbered(1_000));
  expect(said.at(-1)).toMatch(/ failed: Error: order 1000\n/);
});

test('of a stack, the terminal shows the first three lines of the code of the user', () => {
  const { said, onError } = terminal();
  const error = new TypeError('oops');
  const frames = Array.from(
    { length: 5 },
    (_, at) => `    at pay (file:///shop/agents.ts:${at + 1}:9)`,
  );
  error.stack = ['TypeError: oops', '    at node:internal/timers:1:1', ...frames].join('\n');
  onError(thrown(error));
  expect(said.join('').match(/^ {4}at .*$/gm)).toEqual(frames.slice(0, 3));
});
