/** The completion script for bash; compatible with bash 3.2, which macOS has. */

import { quoted } from '#cli/output/quoted.ts';
import type { CommandNode, Value } from './completion-tree.ts';

export function bashCompletion(name: string, tree: readonly CommandNode[]): string {
  const descents = tree.flatMap(({ path, commands }) =>
    commands.map(({ word }) =>
      arm([`${path}/${word}`], `path=${quoted(`${path} ${word}`.trim())}`),
    ),
  );
  const values = tree.flatMap(({ path, options }) =>
    options.flatMap(({ word, value }) =>
      value === null ? [] : [arm([`${path}/${word}`], valueText(value))],
    ),
  );
  const words = tree.map(({ path, commands, options, argument }) => {
    const own = [...commands, ...options].map(({ word }) => word);
    const more = argument?.kind === 'words' ? argument.words : [];
    const files = argument?.kind === 'file' ? '; files=yes' : '';
    return arm([path], `words=${quoted([...more, ...own].join(' '))}${files}`);
  });
  return `# Completion of ${name} for bash: source <(${name} completion bash)
_${name}() {
  local path='' word words='' files='' i=1
  local current="\${COMP_WORDS[COMP_CWORD]}"
  COMPREPLY=()
  # "--option=value" comes as three words: the "=" is passed over.
  while [ "$i" -lt "$COMP_CWORD" ]; do
    word="\${COMP_WORDS[i]}"
    i=$((i + 1))
    [ "\${COMP_WORDS[i]}" = '=' ] && [ "$i" -lt "$COMP_CWORD" ] && i=$((i + 1))
    case "$path/$word" in
${indented(descents, 6)}
    esac
    words='' files=''
    case "$path/$word" in
${indented(values, 6)}
      *) continue ;;
    esac
    # The option takes a value: the one being typed, or one that is passed over.
    if [ "$i" -ge "$COMP_CWORD" ]; then
      [ "$current" = '=' ] && current=''
      _${name}_reply
      return
    fi
    i=$((i + 1))
  done
  words='' files=''
  case "$path" in
${indented(words, 4)}
  esac
  _${name}_reply
}
_${name}_reply() {
  local reply
  # Quotes the names of files, and adds "/" to those of folders. bash 3.2 and zsh have no such command.
  [ -n "$files" ] && type compopt >/dev/null 2>&1 && compopt -o filenames 2>/dev/null
  while IFS='' read -r reply; do COMPREPLY+=("$reply"); done <<EOF
$(compgen -W "$words" -- "$current"; [ -n "$files" ] && compgen -f -- "$current")
EOF
  [ -n "\${COMPREPLY[0]}" ] || COMPREPLY=()
}
complete -F _${name} ${name}
`;
}

const arm = (patterns: readonly string[], text: string) =>
  `${patterns.map(quoted).join(' | ')}) ${text} ;;`;

function valueText(value: Value): string {
  switch (value.kind) {
    case 'words':
      return `words=${quoted(value.words.join(' '))}`;
    case 'file':
      return 'files=yes';
    case 'free':
      return ':';
  }
}

const indented = (lines: readonly string[], spaces: number) =>
  lines.map((line) => ' '.repeat(spaces) + line).join('\n');
