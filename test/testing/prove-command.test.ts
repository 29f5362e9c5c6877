/** `reeve prove`, as a program. */
import { execFile } from 'node:child_process';
import { appendFileSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, inject, test } from 'vitest';
import * as z from 'zod';

const run = promisify(execFile);
const folder = () => mkdtempSync(join(inject('temporaryFolder'), 'prove-'));
const failure = z.object({ code: z.int(), stdout: z.string(), stderr: z.string() });

async function reeve(...given: readonly string[]) {
  return run('node', ['bin/reeve.ts', 'prove', ...given]).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    (error: unknown) => failure.parse(error),
  );
}

/** A module with the proof of the workflow of these tests. */
function moduleWith(mistake: string): string {
  const file = join(folder(), 'workflows.ts');
  writeFileSync(
    file,
    `import { defineProof } from '${resolve('lib/testing/prove/proof.ts')}';
import { tripProof } from '${resolve('test/testing/trip.ts')}';
export const proof = defineProof({ ...tripProof(${mistake}), seeds: 20 });
`,
  );
  return file;
}

test('a sound workflow is proven, with as many worlds as the option says', async () => {
  const { code, stdout } = await reeve('test/testing/trip.ts', '--seeds', '5');
  expect(stdout).toMatch(/^proof: Proven: 5 worlds, /);
  expect(code).toBe(0);
}, 180_000);

test('a mistake is printed with seed, story and shortest way, and the exit code is 1', async () => {
  const file = moduleWith("'forgotten branch'");
  const { code, stdout } = await reeve(file);
  expect(stdout).toMatch(/^proof: Not proven: /);
  expect(stdout).toMatch(/^seed \d+: effect-left$/m);
  expect(stdout).toMatch(/^The shortest way that was found: 1 order, service-refuses\.$/m);
  expect(stdout).toMatch(/ {2}hotel takes effect for book-hotel \(order-1\/book-hotel-spa\)/);
  expect(code).toBe(1);
}, 180_000);

test.each([
  ['a sound and a wrong', '', "'short deadline'"],
  ['a wrong and a sound', "'short deadline'", ''],
])(
  'with the exports of %s proof, the exit code is 1',
  async (_, one, other) => {
    const file = moduleWith(one);
    appendFileSync(
      file,
      `export const second = defineProof({ ...tripProof(${other}), seeds: 1 });\n`,
    );
    const { code, stdout } = await reeve(file, '--seeds', '1');
    expect(stdout.match(/^(proof|second): (Not p|P)roven: /gm)).toHaveLength(2);
    expect(code).toBe(1);
  },
  60_000,
);

test('a module that holds a timer does not keep the command running', async () => {
  const file = moduleWith('');
  appendFileSync(file, 'setInterval(() => {}, 1_000);\n');
  const { code, stdout } = await reeve(file);
  expect(stdout).toMatch(/^proof: Proven: /);
  expect(code).toBe(0);
}, 180_000);

test('as a document, with --json', async () => {
  const { code, stdout } = await reeve(moduleWith("'short deadline'"), '--json');
  const document = z
    .object({
      isProven: z.boolean(),
      proofs: z.array(z.object({ mistakes: z.array(z.object({ rule: z.string() })) })),
    })
    .parse(JSON.parse(stdout));
  expect(document.isProven).toBe(false);
  expect(document.proofs[0]?.mistakes[0]?.rule).toBe('deadline-short');
  expect(code).toBe(1);
}, 180_000);

test('a module without a proof says what to export, and a wrong number of seeds is wrong usage', async () => {
  const file = join(folder(), 'nothing.ts');
  writeFileSync(file, 'export const workflows = [];\n');
  expect((await reeve(file)).stderr).toMatch(/exports no proof: export what `defineProof/);
  expect((await reeve(file, '--seeds', '0')).code).toBe(2);
}, 180_000);

test('the proof that --help shows runs as it stands', async () => {
  const { stdout: help } = await reeve('--help');
  const example = [...help.matchAll(/^ {2}((?:import|export| {2}).*|\}\);)$/gm)].map(
    ([, line]) => line,
  );
  const text = example.slice(example.findIndex((line) => line?.startsWith('import'))).join('\n');
  expect(text).toContain('soundAgent(payment');
  const at = folder();
  writeFileSync(
    join(at, 'workflow.ts'),
    `import * as z from '${resolve('node_modules/zod/index.js')}';
import { defineAgent, defineWorkflow } from '${resolve('lib/package/index.ts')}';
const details = z.strictObject({ cents: z.int() });
export const payment = defineAgent({
  ...{ name: 'payment', undo: 'offered' as const },
  ...{ input: details, output: z.strictObject({ charge: z.string() }) },
});
export const shop = defineWorkflow({ name: 'shop', version: 1, details })
  .step('pay', { agent: payment, input: ({ details }) => details })
  .build();
`,
  );
  const module = join(at, 'proof.ts');
  writeFileSync(module, text.replace("'reeve/testing'", `'${resolve('lib/package/testing.ts')}'`));
  const { code, stdout, stderr } = await reeve(module, '--seeds', '3');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(/^proof: Proven: 3 worlds, /);
}, 180_000);

test.each([
  ['process.exit(0);', 2],
  ['process.exit(7);', 7],
  ['await new Promise(() => {});', 13],
])(
  'a module that does not let the proof end, by %s, is not proven',
  async (statement, exitCode) => {
    const file = moduleWith('');
    appendFileSync(file, `${statement}\n`);
    const { code, stdout, stderr } = await reeve(file, '--seeds', '1');
    expect({ code, stdout }).toEqual({ code: exitCode, stdout: '' });
    expect(stderr).toContain(`Nothing was proven: the code of ${file} has ended this process`);
  },
  60_000,
);
