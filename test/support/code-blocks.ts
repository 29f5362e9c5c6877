/** The code blocks of a page. */
export interface CodeBlock {
  /** Such as `ts`, `sh`, or `sh aws` for what needs a cloud. */
  readonly language: string;
  /** The file that its first line names as a comment, as in `// gift/workflow.ts`; null without one. */
  readonly file: string | null;
  readonly text: string;
}

export function codeBlocks(page: string): readonly CodeBlock[] {
  return [...page.matchAll(/^( *)```(\w+(?: \w+)?)\n(.*?)^\1```$/gms)].map(
    ([, , language = '', text = '']) => {
      const [, file = null] = /^(?:\/\/|#) (\S+\.\w+)\n/.exec(text) ?? [];
      return { language, file, text };
    },
  );
}
