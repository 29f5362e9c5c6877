/** The first commands of the README, with real processes. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';

const directory = mkdtempSync(join(tmpdir(), 'reeve-first-order-'));
let reeve: ChildProcess;
let reeveUrl = '';
let suppliersUrl = '';
/** The order that the first lines propose: it needs no file, which users of the package do not have. */
let example = '';

beforeAll(async () => {
  reeve = spawn(process.execPath, ['bin/reeve.ts', 'start'], {
    env: { ...process.env, PORT: '0', REEVE_SUPPLIERS_PORT: '0', REEVE_DATA: directory },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (reeve.stdout === null) throw new Error('reeve has no standard output');
  for await (const line of createInterface({ input: reeve.stdout })) {
    reeveUrl ||= /^Reeve listens on (\S+)$/.exec(line)?.[1] ?? '';
    suppliersUrl ||= /^Simulated suppliers on (\S+)$/.exec(line)?.[1] ?? '';
    example ||= /^ {2}echo '(.*)' \| npx reeve .*submit - --wait$/.exec(line)?.[1] ?? '';
    if (example !== '') break;
  }
});

afterAll(async () => {
  if (reeve.exitCode === null) {
    const gone = once(reeve, 'exit');
    reeve.kill('SIGTERM');
    await gone;
  }
  rmSync(directory, { recursive: true });
});

const run = (...args: readonly string[]) => runWith(args, '');

async function runWith(args: readonly string[], input: string) {
  const child = spawn(process.execPath, ['bin/reeve.ts', ...args], {
    env: { ...process.env, REEVE_URL: reeveUrl, REEVE_SUPPLIERS_URL: suppliersUrl },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  child.stdin.end(input);
  const exit = once(child, 'exit');
  const stdout = await text(child.stdout);
  await exit;
  return { code: child.exitCode, stdout };
}

test('the order that the first lines propose is Processed', async () => {
  const submitted = await runWith(['submit', '-', '--wait'], example);
  expect(submitted).toMatchObject({ code: 0, stdout: expect.stringContaining('Processed') });
});

test('an example order is Processed, and its effects are in the ledger', async () => {
  const submitted = await run('submit', 'examples/order.json', '--wait', '--json');
  expect(submitted.stdout).toContain('"processState":"Processed"');
  expect(submitted.code).toBe(0);

  const { orderId } = JSON.parse(submitted.stdout);
  const ledger = JSON.parse((await run('suppliers', 'ledger', orderId, '--json')).stdout);
  expect(
    ledger.entries.map((entry: { service: string; state: string; effects: number }) => [
      entry.service,
      entry.state,
      entry.effects,
    ]),
  ).toEqual(
    expect.arrayContaining([
      ['inventory', 'applied', 1],
      ['payment', 'applied', 1],
      ['shipping', 'applied', 1],
    ]),
  );
});

test('an order whose payment is declined is Undone, and the reservation released', async () => {
  await run('suppliers', 'set', 'payment', 'declineRate=1');
  const submitted = await run('submit', 'examples/order.json', '--wait', '--json');
  await run('suppliers', 'reset');
  expect(submitted.stdout).toContain('"processState":"Undone"');
  expect(submitted.code).toBe(5);

  const { orderId } = JSON.parse(submitted.stdout);
  const ledger = (await run('suppliers', 'ledger', orderId)).stdout;
  expect(ledger).toMatch(/inventory +undone/);
});

test('the bad example is rejected, naming its fields', async () => {
  const submitted = await run('submit', 'examples/bad-order.json', '--json');
  expect(submitted.code).toBe(3);
  const fields = JSON.parse(submitted.stdout).error.problem.errors.map(
    ({ field }: { field: string }) => field,
  );
  expect(fields).toEqual([
    'details.lines.0.quantity',
    'details.currency',
    'details.shipTo.postalCode',
  ]);
});
