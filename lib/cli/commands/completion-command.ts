/** `reeve completion`: prints a script for a shell, which completes without starting Reeve. */
import type { Command } from 'commander';
import { bashCompletion } from './completion-bash.ts';
import { fishCompletion } from './completion-fish.ts';
import { completionTree } from './completion-tree.ts';

export const shells = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof shells)[number];

export function completion(program: Command, shell: Shell): string {
  const tree = completionTree(program);
  const name = program.name();
  switch (shell) {
    case 'bash':
      return bashCompletion(name, tree);
    case 'zsh':
      // zsh runs the functions of bash.
      return `autoload -U +X compinit && compinit
autoload -U +X bashcompinit && bashcompinit
${bashCompletion(name, tree)}`;
    case 'fish':
      return fishCompletion(name, tree);
  }
}
