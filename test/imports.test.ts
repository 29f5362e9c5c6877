/** Who may import whom: the table of docs/design.md is the rule, and this test holds every file to it. */
import { globSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { expect, test } from 'vitest';

interface Rule {
  /** A folder, such as `lib/core/decide`. */
  readonly folder: string;
  /** Packages, `node`, and folders or files under lib, each with all that is below it. */
  readonly mayImport: readonly string[];
}

const section = readFileSync('docs/design.md', 'utf8').split('## Who may import whom')[1] ?? '';
const rules: readonly Rule[] =
  section
    .split('\n## ')[0]
    ?.split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => line.split('|').map((cell) => quoted(cell)))
    .map(([, [folder = ''] = [], , mayImport = []]) => ({ folder, mayImport })) ?? [];

function quoted(cell: string): string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, text = '']) => text);
}

const files = globSync('{lib,lambdas,bin}/**/*.{ts,tsx}', { exclude: ['lib/console/dist/**'] })
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => !file.endsWith('vite.config.ts'));

/** Of the longest folder that the file is in. */
const ruleOf = (file: string): Rule | undefined =>
  rules
    .filter(({ folder }) => file.startsWith(`${folder}/`))
    .toSorted((one, other) => other.folder.length - one.folder.length)[0];

function importsOf(file: string): string[] {
  const source = readFileSync(file, 'utf8');
  const statements = source.matchAll(
    /(?:^|\n)(?:import|export)\b[^;]*?from '([^']+)'|\bimport\('([^']+)'\)|(?:^|\n)import '([^']+)'/g,
  );
  return [...statements].map(([, from, dynamic, effect]) => from ?? dynamic ?? effect ?? '');
}

/** A path under the repository, or the name of a package. */
function targetOf(file: string, specifier: string): string {
  if (specifier.startsWith('#')) return `lib/${specifier.slice(1)}`;
  if (specifier.startsWith('.')) return posix.join(posix.dirname(file), specifier);
  return specifier;
}

function isAllowed({ folder, mayImport }: Rule, target: string): boolean {
  if (target.startsWith(`${folder}/`)) return true;
  return mayImport.some((allowed) => {
    if (allowed === 'node') return target.startsWith('node:');
    return (
      target === allowed ||
      target.startsWith(allowed.endsWith('*') ? allowed.slice(0, -1) : `${allowed}/`)
    );
  });
}

test('every file is in a folder of the table, and imports what the table allows', () => {
  expect(rules.length).toBeGreaterThan(15);
  const breaches = files.flatMap((file) => {
    const rule = ruleOf(file);
    if (rule === undefined) return [`${file} is in no folder of the table`];
    return importsOf(file)
      .map((specifier) => targetOf(file, specifier))
      .filter((target) => !isAllowed(rule, target))
      .map((target) => `${file} imports ${target}`);
  });
  expect(breaches).toEqual([]);
});

test('each folder of the table is there, and imports each thing that it may', () => {
  for (const { folder, mayImport } of rules) {
    const own = files.filter((file) => ruleOf(file)?.folder === folder);
    expect(own, folder).not.toEqual([]);
    const targets = own.flatMap((file) => importsOf(file).map((each) => targetOf(file, each)));
    for (const allowed of mayImport) {
      const rule = { folder, mayImport: [allowed] };
      const isUsed = targets.some(
        (target) => !target.startsWith(`${folder}/`) && isAllowed(rule, target),
      );
      expect(isUsed, `${folder} may import ${allowed}, and does`).toBe(true);
    }
  }
});

test('no folder has more than twenty files side by side', () => {
  const folders = Map.groupBy(files, (file) => posix.dirname(file));
  const crowded = [...folders]
    .filter(([, own]) => own.length > 20)
    .map(([folder, own]) => `${folder}: ${own.length}`);
  expect(crowded).toEqual([]);
});
