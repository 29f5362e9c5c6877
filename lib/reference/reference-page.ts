/** docs/reference.md, generated from the tables of the code. */
import { codeSections } from './code-sections.ts';
import { commandSection } from './command-section.ts';
import { limitSection } from './limit-section.ts';
import { settingSections } from './setting-sections.ts';

const intro = `# Reference

\`npm run reference\` generates this page from the code. Change a text where the code has it, and not here.

[Command line](#command-line), [exit codes](#exit-codes), [settings of the embedded Reeve](#settings-of-the-embedded-reeve),
[parameters of the stack](#parameters-of-the-stack), [problem codes](#problem-codes), [error codes](#error-codes),
[fault codes](#fault-codes), [log events](#log-events), [metrics](#metrics), [limits](#limits). For the routes of the API, see
[api.md](api.md).`;

/** @param limitsSource the text of lib/core/model/limits.ts, whose doc comments the page quotes */
export function referencePage(limitsSource: string): string {
  const parts = [
    intro,
    commandSection(),
    settingSections(),
    codeSections(),
    limitSection(limitsSource),
  ];
  return `${parts.join('\n\n')}\n`;
}
