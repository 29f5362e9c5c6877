/** The code blocks of a page. */
export interface CodeBlock {
  /** Such as `ts` or `sh`. */
  readonly language: string;
  /** What its first line names as a comment, as in `// gift/workflow.ts`; null where it names none. */
  readonly file: string | null;
  readonly text: string;
}

export function codeBlocks(page: string): readonly CodeBlock[] {
  return [...page.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(([, language = '', text = '']) => {
    const [, file = null] = /^(?:\/\/|#) (\S+\.\w+)\n/.exec(text) ?? [];
    return { language, file, text };
  });
}
