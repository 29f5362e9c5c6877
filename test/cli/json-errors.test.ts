/** With --json there is one JSON document on standard output, also after any error. */
import { expect, test } from 'vitest';
import type { CliEnvironment } from '#cli/environment.ts';
import { bytesOf, nobodyThere, problem, scenario } from './scenario.ts';

const readFile = (text: string) => ({ readFile: bytesOf(text) });
const answering = (respond: () => Response): Partial<CliEnvironment> => ({
  fetch: async () => respond(),
});
const stack: Partial<CliEnvironment> = {
  aws: async () => ({
    outputs: () => Promise.reject(new Error('There is no stack reeve-prod.')),
    signedFetch: async () => nobodyThere,
    deadLetters: async () => ({ deadLetters: [], isComplete: true }),
  }),
};

const cases: readonly (readonly [string, string, number, Partial<CliEnvironment>])[] = [
  ['list', 'unreachable', 4, { fetch: nobodyThere }],
  ['show o-1 --watch', 'unreachable', 4, { fetch: nobodyThere }],
  ['resubmit --agent a', 'unreachable', 4, { fetch: nobodyThere }],
  ['suppliers', 'unreachable', 4, { fetch: nobodyThere }],
  ['list', 'answer-unknown', 4, answering(() => Response.json({ orders: 7 }))],
  ['list', 'answer-unknown', 4, answering(() => new Response('hello'))],
  ['list', 'refused', 3, answering(() => new Response('<h1>no</h1>', { status: 403 }))],
  ['list', 'failed', 4, answering(() => new Response('<h1>no</h1>', { status: 502 }))],
  ['list', 'unavailable', 4, answering(() => problem(503, 'unavailable'))],
  ['cancel o-1', 'ended', 3, answering(() => problem(409, 'ended'))],
  ['submit nowhere.json', 'file-unreadable', 2, {}],
  ['submit -', 'file-unreadable', 2, {}],
  ['submit broken.json', 'file-not-json', 2, readFile('{"workflow":')],
  ['submit list.json --correlation-id c', 'usage', 2, readFile('[1]')],
  ['list --stack reeve-prod', 'stack-unusable', 4, stack],
  ['list --stack a --url http://b', 'usage', 2, {}],
  ['list --url nonsense', 'usage', 2, {}],
  ['list --state lost', 'usage', 2, {}],
  ['list --lmit 3', 'usage', 2, {}],
  ['lst', 'usage', 2, {}],
  ['', 'usage', 2, {}],
  ['dlq', 'usage', 2, {}],
  ['suppliers set payment speed=1', 'usage', 2, {}],
  ['cancel', 'usage', 2, {}],
  ['start', 'usage', 2, {}],
];

test.each(cases)('%s --json ends with the code %s, exit %i', async (line, code, exit, changes) => {
  const { run } = scenario(changes);
  const { exitCode, stdout, stderr } = await run(`${line} --json`);
  expect(stdout.trimEnd().split('\n')).toHaveLength(1);
  const { error, ...rest } = JSON.parse(stdout);
  expect(rest).toEqual({});
  expect(error).toMatchObject({ code, exitCode: exit, message: expect.stringMatching(/\S/) });
  expect(exitCode).toBe(exit);
  expect(stderr).not.toContain('error:');
});

test('the problem document of the API is part of the error', async () => {
  const errors = [{ field: 'details.lines', message: 'too many' }];
  const { run } = scenario(answering(() => problem(422, 'details-invalid', { errors })));
  const { stdout } = await run('cancel o-1 --json');
  expect(JSON.parse(stdout).error).toMatchObject({
    code: 'details-invalid',
    message: expect.stringContaining('details.lines: too many'),
    problem: { status: 422, errors },
  });
});

test('an argument after -- is not an option', async () => {
  const { run } = scenario({ fetch: nobodyThere });
  expect((await run('show -- --json')).stderr).toContain('error: Reeve cannot be reached');
});

test('a defect is a document too', async () => {
  const { run } = scenario({
    now: () => {
      throw new Error('no clock');
    },
  });
  const { exitCode, stdout } = await run('list --json');
  expect(exitCode).toBe(1);
  expect(JSON.parse(stdout).error).toMatchObject({ code: 'defect', exitCode: 1 });
});
