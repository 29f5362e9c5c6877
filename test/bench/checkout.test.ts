/** The files of the commit that a change is compared with: they are removed however the comparison ends. */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, inject, onTestFinished, test } from 'vitest';

const bench = join(import.meta.dirname, '../../bench');

const author = ['name=ada', 'email=ada@example.com'].flatMap((each) => ['-c', `user.${each}`]);

/** A repository whose benchmark never ends, and a folder for temporary files. */
function repository() {
  const at = realpathSync(mkdtempSync(join(inject('temporaryFolder'), 'checkout-')));
  const folder = join(at, 'repository');
  const temporary = join(at, 'temporary');
  for (const each of [join(folder, 'bench'), temporary]) mkdirSync(each, { recursive: true });
  writeFileSync(join(folder, 'bench/throughput.ts'), 'setInterval(() => {}, 1_000);');
  const git = (...args: readonly string[]) =>
    execFileSync('git', [...author, ...args], {
      cwd: folder,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  git('init');
  git('add', '.');
  git('commit', '--no-gpg-sign', '--message', 'first');
  return {
    git,
    temporary,
    options: { cwd: folder, env: { ...process.env, TMPDIR: temporary } },
    /** The work trees but that of the repository itself. */
    worktrees: () =>
      [...git('worktree', 'list', '--porcelain').matchAll(/^worktree (.*)$/gm)]
        .map(([, path = '']) => path)
        .slice(1),
  };
}

/** Works with a checkout in a process of its own. */
function work({ options }: ReturnType<typeof repository>, commit: string, then = '') {
  const program = `
    import { withCheckout } from ${JSON.stringify(join(bench, 'throughput/checkout.ts'))};
    await withCheckout('${commit}', async ({ folder }) => { console.log(folder); ${then} });`;
  return spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
    ...options,
    encoding: 'utf8',
  });
}

test.each(['SIGINT', 'SIGTERM'] as const)('%s leaves no file and no work tree', async (signal) => {
  const repo = repository();
  const args = [join(bench, 'throughput.ts'), '--against', 'HEAD'];
  const program = spawn(process.execPath, args, { ...repo.options, stdio: 'ignore' });
  onTestFinished(() => void program.kill('SIGKILL'));
  const ended = once(program, 'close');
  await expect.poll(repo.worktrees).toHaveLength(1);
  program.kill(signal);
  expect(await ended).toEqual([null, signal]);
  expect([repo.worktrees(), readdirSync(repo.temporary)]).toEqual([[], []]);
});

test('what processes left that were killed is removed by the next one, and nothing else', () => {
  const repo = repository();
  const gone = spawnSync(process.execPath, ['--eval', '']).pid;
  const add = (name: string) => {
    const folder = join(repo.temporary, name, 'reeve');
    repo.git('worktree', 'add', '--detach', folder, 'HEAD');
    return folder;
  };
  add(`reeve-before-${gone}-killed`);
  repo.git('worktree', 'lock', add(`reeve-before-${gone}-locked`));
  rmSync(add(`reeve-before-${gone}-emptied`), { recursive: true });
  const kept = [add(`reeve-before-${process.pid}-works`), add('of-the-user')];
  const { stdout } = work(repo, 'HEAD');
  expect(basename(stdout.trim())).toBe('reeve');
  expect(repo.worktrees().toSorted()).toEqual(kept.toSorted());
  expect(readdirSync(repo.temporary)).toEqual(['of-the-user', `reeve-before-${process.pid}-works`]);
});

test.each([
  ['work that fails', 'HEAD', "throw new Error('no figures')", 'no figures'],
  ['a commit that is not known', 'nowhere', '', 'nowhere'],
])('%s leaves nothing either', (_, commit, then, reason) => {
  const repo = repository();
  const { status, stderr } = work(repo, commit, then);
  expect([status, stderr]).toEqual([1, expect.stringContaining(reason)]);
  expect([repo.worktrees(), readdirSync(repo.temporary)]).toEqual([[], []]);
});
