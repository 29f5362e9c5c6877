/** Every command of `reeve` in the documentation is one that the command line knows. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { bytesOf, scenario } from '../cli/scenario.ts';
import { codeBlocks } from '../support/code-blocks.ts';
import { pages } from '../support/pages.ts';

const commands = pages.flatMap((page) =>
  codeBlocks(readFileSync(page, 'utf8'))
    .filter(({ language }) => language.startsWith('sh'))
    .flatMap(({ text }) => [...text.matchAll(/^(?:npx )?reeve (.*?)(?: {2,}#.*)?$/gm)])
    .map(([, words = '']) => words),
);

/** Reached when the command line has understood its words. */
class Understood extends Error {}

const understood = () => Promise.reject(new Understood());

async function isKnown(words: string): Promise<boolean> {
  const { run } = scenario({
    env: words.startsWith('dlq') ? { REEVE_STACK: 'reeve-prod' } : {},
    readFile: bytesOf('{}'),
    fetch: understood,
    aws: understood,
    data: understood,
    start: understood,
  });
  try {
    return (await run(words)).exitCode !== 2;
  } catch (error) {
    if (error instanceof Understood) return true;
    throw error;
  }
}

test('the documentation has such commands', () => {
  expect(commands).toEqual(expect.arrayContaining(['submit examples/order.json --wait', 'dlq']));
});

test.each([...new Set(commands)])('the command line knows `reeve %s`', async (words) => {
  expect(await isKnown(words)).toBe(true);
});

test.each(['resubmitt ID', 'resubmit ID --everything', 'list --state Nowhere'])(
  'it does not know `reeve %s`',
  async (words) => {
    expect(await isKnown(words)).toBe(false);
  },
);
