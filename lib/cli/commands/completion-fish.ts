/** The completion script for fish, with descriptions. */
import type { CommandNode, Value } from './completion-tree.ts';

export function fishCompletion(name: string, tree: readonly CommandNode[]): string {
  const lines = tree.flatMap((node) => {
    const here = `complete -c ${name} -n ${text(condition(node))}`;
    return [
      ...node.commands.map(
        ({ word, description }) => `${here} -a ${text(word)} -d ${text(description)}`,
      ),
      ...node.options.map(({ word, description, value }) => {
        const option = `${here} -l ${word.replace(/^--/, '')} -d ${text(description)}`;
        return value === null ? option : `${option} -r${valueText(value)}`;
      }),
      ...(node.argument === null || node.argument.kind === 'free'
        ? []
        : [`${here}${valueText(node.argument)}`]),
    ];
  });
  return `# Completion of ${name} for fish: ${name} completion fish | source
complete -c ${name} -f
${lines.join('\n')}
`;
}

/** True when all words of the node's path were typed, and no subcommand after them. */
function condition({ path, commands }: CommandNode): string {
  const words = path === '' ? [] : path.split(' ');
  const on = commands.map(({ word }) => word);
  return [
    ...words.map((word) => `__fish_seen_subcommand_from ${word}`),
    ...(on.length === 0 ? [] : [`not __fish_seen_subcommand_from ${on.join(' ')}`]),
  ].join('; and ');
}

function valueText(value: Value): string {
  switch (value.kind) {
    case 'words':
      return ` -a ${text(value.words.join(' '))}`;
    case 'file':
      return ' -F';
    case 'free':
      return '';
  }
}

const text = (words: string) => `'${words.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
