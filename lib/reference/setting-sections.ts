/** The settings of the embedded Reeve, and the parameters of the stack. */
import { parameterTexts } from '#infra/settings/parameter-texts.ts';
import { settingDefaults } from '#infra/settings/settings.ts';
import { configSchema } from '#runtime/local/config.ts';
import { variableTexts } from '#runtime/local/variable-texts.ts';
import { code, defaultText, markdownTable } from './markdown-table.ts';

export function settingSections(): string {
  const variables: Readonly<Record<string, unknown>> = configSchema.parse({});
  const rows = (texts: Readonly<Record<string, string>>, defaults: typeof variables) =>
    Object.entries(texts).map(([name, text]) => [code(name), text, defaultText(defaults[name])]);
  return [
    '## Settings of the embedded Reeve',
    '`reeve start` reads these environment variables, and `reeve dev` those that are not about services and suppliers.',
    markdownTable(['variable', 'meaning', 'default'], rows(variableTexts, variables)),
    '## Parameters of the stack',
    'Set a parameter by `-c name=value`, or under `context` in `cdk.json`. An invalid value, and a name that is not a parameter, stop the synthesis of the shipped app with one sentence that names it and exit code 1, or with one for each step whose workflow does not allow the value. In an app of your own, `readSettings` throws a `ReeveError` for an invalid value (`settings-invalid`), and ignores a name that is not a parameter, because the context may have names of other constructs.',
    markdownTable(['parameter', 'meaning', 'default'], rows(parameterTexts, settingDefaults)),
  ].join('\n\n');
}
