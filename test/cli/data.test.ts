/** The output and exit codes of the commands about local data. */
import { expect, test } from 'vitest';
import type { DataCommand, DataOutcome } from '#cli/environment.ts';
import { scenario } from './scenario.ts';

const sound: DataOutcome = {
  exitCode: 0,
  document: { file: 'reeve.db', orders: 2 },
  lines: ['reeve.db', '  orders checked  2'],
  error: null,
};
const damaged: DataOutcome = {
  exitCode: 3,
  document: { file: 'reeve.db', findings: [{ table: 'Orders', row: 'one', reason: 'x' }] },
  lines: ['reeve.db', '  damaged  1'],
  error: { code: 'store-damaged', message: '1 thing is damaged or missing.' },
};

function answering(outcome: DataOutcome) {
  const asked: unknown[] = [];
  const { run } = scenario({
    data: async (command, dataDir) => {
      asked.push([command, dataDir]);
      return outcome;
    },
  });
  return { run, asked };
}

const commands: readonly (readonly [string, DataCommand, string | undefined])[] = [
  ['check', { kind: 'check', acceptLoss: false }, undefined],
  ['check --accept-loss --data d', { kind: 'check', acceptLoss: true }, 'd'],
  ['backup b.db', { kind: 'backup', file: 'b.db' }, undefined],
  ['restore b.db --yes --data d', { kind: 'restore', file: 'b.db', yes: true }, 'd'],
];

test.each(commands)('%s prints its result, as text or as one document', async (line, ...as) => {
  const { run, asked } = answering(sound);
  expect(await run(line)).toEqual({
    exitCode: 0,
    stdout: 'reeve.db\n  orders checked  2\n',
    stderr: '',
  });
  expect(await run(`${line} --json`)).toEqual({
    exitCode: 0,
    stdout: '{"file":"reeve.db","orders":2}\n',
    stderr: '',
  });
  expect(asked).toEqual([as, as]);
});

test.each(commands)('%s prints its findings and the reason of its failure', async (line) => {
  const { run } = answering(damaged);
  expect(await run(line)).toEqual({
    exitCode: 3,
    stdout: 'reeve.db\n  damaged  1\n',
    stderr: 'error: 1 thing is damaged or missing.\n',
  });
  const { exitCode, stdout, stderr } = await run(`${line} --json`);
  expect([exitCode, stderr]).toEqual([3, '']);
  expect(JSON.parse(stdout)).toEqual({
    ...damaged.document,
    error: { ...damaged.error, exitCode: 3 },
  });
});

test.each(['--url http://x', '--stack reeve-prod'])(
  'an address is refused, because %s does not apply to files',
  async (option) => {
    const { run, asked } = answering(sound);
    const { exitCode, stderr } = await run(`check ${option}`);
    expect([exitCode, stderr]).toEqual([
      2,
      `error: \`reeve check\` is about files on this machine: leave out ${option.split(' ')[0]}.\n`,
    ]);
    expect(asked).toEqual([]);
  },
);

test.each(['check', 'backup b.db', 'restore b.db --yes'])(
  '%s does not take an empty directory for the current one',
  async (line) => {
    let isAsked = false;
    const { run } = scenario({
      env: { REEVE_DATA: '' },
      data: async () => {
        isAsked = true;
        return sound;
      },
    });
    expect(await run(`${line} --data=`)).toMatchObject({
      ...{ exitCode: 2, stderr: 'error: --data is empty.\n' },
    });
    expect(await run(line)).toMatchObject({
      ...{ exitCode: 2, stderr: 'error: REEVE_DATA is empty.\n' },
    });
    expect(isAsked).toBe(false);
    expect(await run(`${line} --data d`)).toMatchObject({ exitCode: 0 });
  },
);

test('a defect prints its stack on standard error only', async () => {
  const { run } = scenario({ data: () => Promise.reject(new RangeError('no such thing')) });
  const { exitCode, stdout, stderr } = await run('restore b.db --json');
  expect(exitCode).toBe(1);
  expect(JSON.parse(stdout)).toEqual({
    error: { code: 'defect', message: 'no such thing', exitCode: 1 },
  });
  expect(stderr).toMatch(/^error: RangeError: no such thing\n +at /);
});
