/** `reeve dev`: the workflows of a module, again after each change. */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import * as z from 'zod';
import { within } from '../support/within.ts';

const root = join(import.meta.dirname, '..', '..');

const moduleOf = (greeting: string) => `
import { defineAgent, defineWorkflow, implementAgent } from 'reeve';
import * as z from 'zod';
const greeter = defineAgent({
  name: 'greeter',
  input: z.string(),
  output: z.string(),
  undo: 'unneeded',
});
export const hello = defineWorkflow({ name: 'hello', version: 1, details: z.object({ name: z.string() }) })
  .step('greet', { agent: greeter, input: ({ details }) => details.name })
  .build();
export const agents = [
  implementAgent(greeter, { perform: async (name: string) => \`${greeting} \${name}\` }),
];
`;

/** A project with Reeve in its node_modules. */
function project(text: string): { folder: string; write(text: string): void } {
  const folder = mkdtempSync(join(tmpdir(), 'reeve-dev-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const modules = join(folder, 'node_modules');
  mkdirSync(modules);
  symlinkSync(root, join(modules, 'reeve'));
  symlinkSync(join(root, 'node_modules', 'zod'), join(modules, 'zod'));
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  const write = (changed: string) => writeFileSync(join(folder, 'workflows.ts'), changed);
  write(text);
  return { folder, write };
}

const dev = (folder: string, ...options: readonly string[]) =>
  run(folder, 'dev', './workflows.ts', ...options);

function run(folder: string, ...words: readonly string[]) {
  const child = spawn(process.execPath, [join(root, 'bin', 'reeve.ts'), ...words], {
    cwd: folder,
    env: { ...process.env, PORT: '0', REEVE_SUPPLIERS_PORT: '0' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const ended = once(child, 'exit').then(([code]) => code);
  onTestFinished(async () => {
    child.kill();
    await ended;
  });
  return {
    starts: () => [...output.matchAll(/^Reeve listens on/gm)].length,
    output: () => output,
    ended,
    stop: (signal: NodeJS.Signals = 'SIGTERM') => child.kill(signal),
    kill: () => child.kill('SIGKILL'),
    /** The address of the nth start. */
    url: async (nth: number): Promise<string> => {
      const urls = () => [...output.matchAll(/^Reeve listens on (\S+)$/gm)].map(([, url]) => url);
      await expect.poll(() => urls().length).toBeGreaterThanOrEqual(nth);
      return urls()[nth - 1] ?? '';
    },
  };
}

const accepted = z.object({ orderId: z.string() });
const shown = z.object({
  processState: z.string(),
  steps: z.object({ greet: z.object({ output: z.unknown() }) }),
});

async function submitted(url: string) {
  const response = await fetch(`${url}/orders`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': randomUUID() },
    body: JSON.stringify({ workflow: 'hello', details: { name: 'Ada' } }),
  });
  return accepted.parse(await response.json());
}

/** @param known the order. Default: a new one */
async function greetingOf(url: string, known?: string): Promise<unknown> {
  const orderId = known ?? (await submitted(url)).orderId;
  const read = async () => shown.parse(await (await fetch(`${url}/orders/${orderId}`)).json());
  await expect.poll(async () => (await read()).processState).toBe('Processed');
  return (await read()).steps.greet.output;
}

test('orders of a module are processed, and by its new code after a change', async () => {
  const { folder, write } = project(moduleOf('Hello'));
  const process = dev(folder);
  expect(await greetingOf(await process.url(1))).toBe('Hello Ada');
  expect(process.output()).toContain('Workflows of ./workflows.ts: hello@1');
  write(moduleOf('Good morning'));
  expect(await greetingOf(await process.url(2))).toBe('Good morning Ada');
  // As editors save: another file takes the name.
  for (const greeting of ['Servus', 'Moin']) {
    writeFileSync(join(folder, 'new.txt'), moduleOf(greeting));
    renameSync(join(folder, 'new.txt'), join(folder, 'workflows.ts'));
    await expect.poll(() => process.starts()).toBe(greeting === 'Moin' ? 4 : 3);
  }
  expect(await greetingOf(await process.url(4))).toBe('Moin Ada');
  write('const x = ;');
  await expect.poll(process.output).toContain('cannot be loaded');
  write(moduleOf('Welcome back'));
  expect(await greetingOf(await process.url(5))).toBe('Welcome back Ada');
  process.stop();
  await process.ended;
});

test.each([
  ['exports no workflow', 'export const a = 1;', 'exports no workflow'],
  ['cannot be loaded', 'throw new TypeError("no network");', 'TypeError: no network'],
  ['lacks an agent', moduleOf('Hello').replace('export const agents', 'const agents'), 'greeter'],
])(
  'a module that %s ends the command with 2',
  async (_, text, message) => {
    const { folder } = project(text);
    const process = dev(folder, '--no-reload');
    expect(await process.ended).toBe(2);
    expect(process.output()).toContain(message);
  },
  20_000,
);

/** Its agent never answers, so its orders do not end. */
const endless = moduleOf('Hello').replace(/`Hello [^`]*`/, 'new Promise<string>(() => {})');

test('a module that lacks the definition of a live order is not run, and the order goes on when it is back', async () => {
  const { folder, write } = project(endless);
  const process = dev(folder);
  const { orderId } = await submitted(await process.url(1));
  write(endless.replaceAll("'hello'", "'hi'"));
  await expect
    .poll(process.output)
    .toContain(
      `orders in .reeve would stop in Error: order ${orderId} of hello@1, which the module does not export.`,
    );
  await expect
    .poll(process.output)
    .toContain('(definition-missing)\nReeve waits for a change of a file.');
  write(endless.replace('agent: greeter,', 'agent: greeter, retries: 5,'));
  await expect.poll(process.output).toContain('which was changed under the same version');
  write(moduleOf('Welcome back'));
  expect(await greetingOf(await process.url(2), orderId)).toBe('Welcome back Ada');
});

const declining = moduleOf('Hello')
  .replace('implementAgent }', 'implementAgent, PermanentFault }')
  .replace('agent: greeter,', "agent: greeter, onFault: 'hold',")
  .replace(
    /async \(name: string\) => `Hello [^`]*`/,
    "async () => { throw new PermanentFault('no', 'No.', 'none'); }",
  );

test('orders in Error whose definition is gone refuse no start, which says what is missing', async () => {
  const { folder, write } = project(declining);
  const process = dev(folder);
  const { orderId } = await submitted(await process.url(1));
  await expect.poll(process.output).toContain(`Order ${orderId}`);
  write(declining.replace('version: 1', 'version: 2'));
  await process.url(2);
  await expect
    .poll(process.output)
    .toContain(
      `Order ${orderId} in Error cannot go on: hello@1 is not among the workflows that run.\n  Before you resubmit or cancel it, `,
    );
});

test('the shop of `reeve start` has a directory of its own beside the data of `reeve dev`', async () => {
  const { folder } = project(moduleOf('Hello'));
  const mine = dev(folder);
  const shop = run(folder, 'start');
  await Promise.all([mine.url(1), shop.url(1)]);
  expect(readdirSync(join(folder, '.reeve'))).toEqual(expect.arrayContaining(['reeve.db', 'shop']));
  expect(readdirSync(join(folder, '.reeve', 'shop'))).toContain('reeve.db');
});

test.each([
  ['a file that is not there', './workflow.ts'],
  ['a folder that is not there', './no/such.ts'],
  ['a folder', './'],
])(
  '%s ends the command with 2',
  async (_, path) => {
    const { folder } = project(moduleOf('Hello'));
    const process = run(folder, 'dev', path);
    expect(await process.ended).toBe(2);
    expect(process.output()).toBe(`There is no file ${path}.\n`);
  },
  20_000,
);

test('a path that cannot be looked at ends the command with 2 and its reason', async () => {
  const { folder } = project(moduleOf('Hello'));
  symlinkSync('loop', join(folder, 'loop'));
  const process = run(folder, 'dev', './loop/workflows.ts');
  expect(await process.ended).toBe(2);
  expect(process.output()).toBe(
    'Cannot look for ./loop/workflows.ts: its path has too many links.\n',
  );
});

test('after an unexpected error of a start, a change of a file starts again', async () => {
  const { folder, write } = project(
    "export const w = { fingerprint: 'x', steps: [], get name() { throw new Error('no name'); } };",
  );
  const process = dev(folder);
  await expect
    .poll(process.output)
    .toMatch(/Error: no name(?:.|\n)*Reeve waits for a change of a file\./);
  write(moduleOf('Hello'));
  expect(await greetingOf(await process.url(1))).toBe('Hello Ada');
});

test('a module that awaits at its top level is said to be loaded still, and runs when it is', async () => {
  const arrival =
    "import { existsSync } from 'node:fs';\nwhile (!existsSync('arrived')) await new Promise((resolve) => setTimeout(resolve, 50));\n";
  const { folder } = project(`${arrival}${moduleOf('Hello')}`);
  const process = dev(folder);
  await expect
    .poll(process.output)
    .toBe(
      './workflows.ts is still being loaded: its code runs, or awaits something at its top level.\n',
    );
  writeFileSync(join(folder, 'arrived'), '');
  expect(await greetingOf(await process.url(1))).toBe('Hello Ada');
});

test('what the user can do about a module, and where in it an error is, is said without the frames of others', async () => {
  const said = async (text: string) => {
    const { folder } = project(text);
    const process = dev(folder, '--no-reload');
    await process.ended;
    expect(process.output()).not.toMatch(/node:|load-definitions/);
    return process.output();
  };
  expect(await said("import 'nothing-of-this-name';")).toContain(
    '\nInstall it: npm install nothing-of-this-name (module-unusable)',
  );
  expect(await said("import './agents';")).toContain(
    "Node needs the ending of a file in its import, such as './agents.ts'.",
  );
  expect(await said('const f = () => {\n  throw new TypeError("no network");\n};\nf();')).toMatch(
    /TypeError: no network\n +at f .*workflows\.ts:2:9\)\n.*workflows\.ts:4:1 \(module-unusable\)\n$/,
  );
  // What the caller of the module is, such as the parser of the command line, says nothing about it.
  const late = 'await null;\nconst f = () => {\n  throw new TypeError("no network");\n};\nf();';
  expect(await said(late)).toMatch(/workflows\.ts:5:1 \(module-unusable\)\n$/);
  const { folder } = project(
    "import { defineProof } from 'reeve/testing';\nexport const proof = defineProof({});",
  );
  const proving = run(folder, 'prove', './workflows.ts');
  await proving.ended;
  expect(proving.output()).toMatch(/workflows\.ts:2:22\n$/);
});

test('data that another process uses end the command: no change of a file would help', async () => {
  const { folder } = project(moduleOf('Hello'));
  const first = dev(folder);
  await first.url(1);
  const second = dev(folder);
  expect(await second.ended).toBe(2);
  expect(second.output()).toContain('store-in-use');
});

test('nothing is left after the command is killed, and the next one goes on with the orders', async () => {
  const { folder } = project(moduleOf('Hello'));
  const first = dev(folder);
  await first.url(1);
  first.kill();
  await first.ended;
  // Its data are free as soon as its Reeve has ended as well.
  const answers = async () => {
    const next = dev(folder);
    const code = await Promise.race([next.ended, next.url(1).then(() => 'listens')]);
    if (code === 'listens') next.stop();
    return code;
  };
  await expect.poll(answers, { interval: 200 }).toBe('listens');
});

/** Its agent gives no signal a chance. */
const looping = moduleOf('').replace(
  /async \(name: string\) => `[^`]*`/,
  'async () => { console.log("loops in " + process.pid); for (;;) {} }',
);

test.each([
  ['after some time', ['SIGTERM']],
  ['at once, at the second signal', ['SIGTERM', 'SIGINT']],
] as const)(
  'code that loops is ended by force, %s',
  async (_, signals) => {
    const { folder } = project(looping);
    const parent = dev(folder);
    await submitted(await parent.url(1));
    const pid = () => Number(/^loops in (\d+)$/m.exec(parent.output())?.[1] ?? 0);
    await expect.poll(pid).toBeGreaterThan(0);
    const isThere = () => {
      try {
        return process.kill(pid(), 0);
      } catch {
        return false;
      }
    };
    onTestFinished(() => {
      if (isThere()) process.kill(pid(), 'SIGKILL');
    });
    for (const signal of signals) parent.stop(signal);
    expect(await within(10_000, parent.ended)).toBe(0);
    expect(isThere()).toBe(false);
  },
  40_000,
);

test('a change ends code that loops', async () => {
  const { folder, write } = project(looping);
  const parent = dev(folder);
  const { orderId } = await submitted(await parent.url(1));
  await expect.poll(parent.output).toMatch(/^loops in/m);
  write(moduleOf('Welcome back'));
  expect(await greetingOf(await parent.url(2), orderId)).toBe('Welcome back Ada');
});
