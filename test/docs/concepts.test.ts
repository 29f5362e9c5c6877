/** The policies that docs/concepts.md explains are those of the shipped workflow, and its arithmetic is right. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { orderFulfilment } from '#workflows/order-fulfilment.ts';

const page = readFileSync('docs/concepts.md', 'utf8');
const seconds = (ms: number) => ms / 1_000;

test('the table of policies is that of the shipped workflow', () => {
  const rows = orderFulfilment.steps.map(({ name, policy }) => {
    const { coolDownTimes: times, coolDownMs, onFault, onExhausted, irreversible } = policy;
    const coolDown = `${seconds(coolDownMs)} s, ${times} ${times === 1 ? 'time' : 'times'}`;
    const cells = [
      ...[name, `${seconds(policy.completeWithinMs)} s`, policy.retries, coolDown],
      ...[onFault, onExhausted, irreversible ? 'yes' : 'no'],
    ];
    return `| ${cells.join(' | ')} |`;
  });
  expect(page).toContain(rows.join('\n'));
});

test('the attempts and pauses of charge take as long as the page says', () => {
  const policy = orderFulfilment.steps.find(({ name }) => name === 'charge')?.policy;
  if (policy === undefined) throw new Error('the workflow has no step charge');
  const rounds = policy.coolDownTimes + 1;
  const attempts = rounds * (policy.retries + 1);
  const total = attempts * policy.completeWithinMs + policy.coolDownTimes * policy.coolDownMs;
  expect(page).toContain(`${rounds} rounds of ${policy.retries + 1} attempts`);
  expect(page).toContain(`together take ${seconds(total)} s`);
});
