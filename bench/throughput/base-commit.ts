/**
 * The commit that a change is compared with: the last release before it, so that small losses do not add up unseen. Before the first
 * release it is where the branch left that of the remote repository, and on that branch itself the commit before.
 */
import { execFileSync } from 'node:child_process';

/** The code that an order runs. */
const measuredPaths = ['lib', 'package-lock.json'];

export type Base =
  | { readonly commit: string; readonly reason?: undefined }
  /** Why there is nothing to compare with. */
  | { readonly commit: null; readonly reason: string };

/** What git prints; null when it fails. */
export type Git = (...args: readonly string[]) => string | null;

export const installedGit: Git = (...args) => {
  try {
    return execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  } catch {
    return null;
  }
};

/** @param run how git is asked, in the folder of the repository */
export function baseCommit(run: Git): Base {
  const git = (...args: readonly string[]) => run(...args)?.trim() || null;
  const head = git('rev-parse', '--verify', 'HEAD');
  const parent = git('rev-parse', '--verify', 'HEAD^');
  if (head === null || parent === null) {
    return { commit: null, reason: 'git has no commit before this one, as in a shallow clone' };
  }
  const release = git('describe', '--tags', '--abbrev=0', '--match', 'v[0-9]*', 'HEAD^');
  const fork = git('merge-base', 'HEAD', 'origin/HEAD');
  const commit = release ?? (fork === head ? null : fork) ?? parent;
  return run('diff', '--quiet', commit, '--', ...measuredPaths) === null
    ? { commit }
    : { commit: null, reason: `what an order runs has not changed since ${commit}` };
}
