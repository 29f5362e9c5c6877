/** What the linter has no words for. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

/** Without folders whose names begin with a dot: other tests make and remove some meanwhile. */
const filesIn = (folder: string, ending: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(ending) && !/(^|[\\/])\./.test(name))
    .map((name) => join(folder, name));

const sources = ['lib', 'lambdas', 'bin', 'bench'].flatMap((folder) => [
  ...filesIn(folder, '.ts'),
  ...filesIn(folder, '.tsx'),
]);
const pages = [
  ...['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md'],
  ...filesIn('docs', '.md'),
  ...filesIn('examples', '.md'),
];

function filesWith(pattern: RegExp, files: readonly string[] = sources): string[] {
  return files.filter((file) => pattern.test(readFileSync(file, 'utf8')));
}

test('the time of the machine is read in one place, by the client, which runs in browsers, and by the programs at the edge', () => {
  expect(filesWith(/\bDate\.now\b/).toSorted()).toEqual([
    // Moves the clock ahead for orders whose steps take minutes.
    'bench/bill/moved-clock.ts',
    'bin/reeve.ts',
    'lib/client/requests.ts',
    'lib/console/parts/server-clock.ts',
    'lib/runtime/node/system-clock.ts',
    'lib/suppliers/start-suppliers.ts',
  ]);
});

test('chance is drawn in one place, by the client, which runs in browsers, and by the simulated suppliers', () => {
  expect(filesWith(/\bMath\.random\b/).toSorted()).toEqual([
    'lib/client/requests.ts',
    'lib/runtime/node/system-ids.ts',
    'lib/suppliers/start-suppliers.ts',
  ]);
});

/** Words for which the field has terms; the second entry is one of them. */
const privateWords: readonly (readonly [word: string, term: string])[] = [
  ['told', 'reported, notified or delivered'],
  ['untold', 'undelivered'],
  ['whoever', 'the caller, the operator or the process'],
  ['whatever', 'any, or what exactly'],
  ['nobody', 'no operator, or no process'],
  ['somebody', 'an operator, or a process'],
  ['a person', 'an operator'],
];

test('code and its texts use the terms of the field', () => {
  const found = sources.flatMap((file) => {
    const text = readFileSync(file, 'utf8');
    return privateWords.flatMap(([word, term]) =>
      new RegExp(`\\b${word}\\b`, 'i').test(text) ? [`${file}: ${word}; write ${term}`] : [],
    );
  });
  expect(found).toEqual([]);
});

/** Words that no identifier contains. A letter is one of an alphabet, or of a dead-letter queue. */
const privateParts = new Set(
  'told untold tell tells owed owes desk witness forgiven forgive excused storm blind stance lettered gathering happening standing whoever nobody somebody'.split(
    ' ',
  ),
);

test('identifiers use the terms of the field', () => {
  const found = sources.flatMap((file) => {
    const code = readFileSync(file, 'utf8').replace(
      /\/\*[\s\S]*?\*\/|\/\/[^\n]*|'[^'\n]*'|`[^`]*`/g,
      '',
    );
    return [...new Set(code.match(/\b[a-zA-Z]\w*\b/g))]
      .filter((name) =>
        name.split(/(?=[A-Z])|_/).some((part) => privateParts.has(part.toLowerCase())),
      )
      .map((name) => `${file}: ${name}`);
  });
  expect(found).toEqual([]);
});

test('roles are put together in one place', () => {
  const factories = [
    'agentRunner',
    'lineKeeper',
    'notifier',
    'operator',
    'periodicSweep',
    'restart',
    'scheduler',
    'submission',
    'supervisor',
    'sweepTick',
    'transitions',
  ];
  // A call, and neither a declaration nor a method of something else.
  const called = new RegExp(`(?<!function |[.\\w])(${factories.join('|')})\\(`);
  expect(filesWith(called)).toEqual(['lib/roles/assemble.ts']);
  const assembly = readFileSync('lib/roles/assemble.ts', 'utf8');
  expect(factories.filter((factory) => !assembly.includes(`${factory}(`))).toEqual([]);
});

test('nothing is left for later', () => {
  const tests = filesIn('test', '.ts').filter((file) => file !== 'test/tidy.test.ts');
  expect(filesWith(/\b(TODO|FIXME|XXX|HACK)\b/, [...sources, ...tests, ...pages])).toEqual([]);
});

test('no test is skipped, and none runs alone', () => {
  const tests = filesIn('test', '.test.ts').filter((file) => file !== 'test/tidy.test.ts');
  expect(filesWith(/\b(test|describe|it)\.(skip|only|todo)\b/, tests)).toEqual([]);
});

test('every export of the core, the ports, the roles and what applications import has a doc comment', () => {
  const undocumented = [
    ...['lib/core', 'lib/ports', 'lib/roles'],
    ...['lib/workflows', 'lib/infra', 'lib/runtime', 'lib/in-process'],
  ]
    .flatMap((folder) => filesIn(folder, '.ts'))
    .flatMap((file) => {
      const lines = readFileSync(file, 'utf8').split('\n');
      return lines.flatMap((line, at) =>
        /^export (?!\*|(type )?\{)/.test(line) && lines[at - 1]?.endsWith('*/') !== true
          ? [`${file}:${at + 1}: ${line}`]
          : [],
      );
    });
  expect(undocumented).toEqual([]);
});

test('a doc comment stands before what it describes, and only that of the file before imports', () => {
  expect(filesWith(/^\/\*\*[\s\S]*^\/\*\*((?!\*\/)[\s\S])*\*\/\s+import\b/m)).toEqual([]);
});

test('every test that the design names for a rule is there', () => {
  const design = readFileSync('docs/design.md', 'utf8');
  const named = [...design.matchAll(/`(test\/[\w/.-]+)`/g)].map(([, path]) => path ?? '');
  expect(named.length).toBeGreaterThan(15);
  expect(named.filter((path) => !existsSync(path))).toEqual([]);
});

test('the lock file names no registry', () => {
  expect(readFileSync('package-lock.json', 'utf8')).not.toMatch(/"resolved": "http/);
});
