/** Where the links of the documents lead in the site. */
import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readmePage, sectionsNotShown, sectionsOf } from '#docs-site/readme-page.ts';
import { linkTarget, linkText } from '#docs-site/repository-links.ts';
import { sitePages } from '#docs-site/site-pages.ts';

test.each([
  ['aws', 'recipes.md#pools', '/recipes#pools'],
  ['aws', '#idle', '#idle'],
  ['aws', 'aws.md#idle', '#idle'],
  ['aws', 'contracts/', '/contracts/'],
  ['aws', 'https://example.com/a.md', 'https://example.com/a.md'],
  ['aws', 'mailto:docs@example.com', 'mailto:docs@example.com'],
  ['aws', '/recipes#pools', '/recipes#pools'],
  ['aws', '/aws#idle', '/aws#idle'],
  ['index', '/images/order.png', '/images/order.png'],
  ['agent-python', '//example.com/docs', '//example.com/docs'],
  ['tutorial', '../README.md#your-first-order', '/#your-first-order'],
  ['tutorial', '../README.md', '/'],
  ['index', '#the-console', '/shop#the-console'],
  ['index', 'docs/api', '/package/'],
  ['shop', 'docs/images/order.png', '/images/order.png'],
  ['shop', '#break-a-supplier', '#break-a-supplier'],
  ['agent-python', '../../docs/contracts', '/contracts/'],
  ['package/reeve', '#stepoptions', '#stepoptions'],
])('on the page %s, the link %s leads to %s', (page, href, address) => {
  expect(linkTarget(page, href)).toEqual({ kind: 'address', address });
});

test('a link to a file that is not in the site becomes the path of the file', () => {
  const file = { kind: 'file', file: 'examples/agent-python/agent.py' };
  expect(linkTarget('agent-python', 'agent.py')).toEqual(file);
});

test('the name of a file in the text of a link becomes the name of its page', () => {
  expect(linkText('/aws#idle', 'docs/aws.md')).toBe('Deployment');
  expect(linkText('/aws#idle', 'its cost')).toBe('its cost');
  expect(linkText('/package/', 'aws.md')).toBe('aws.md');
});

test('every document is a page', () => {
  const sources = sitePages.map(({ source }) => source);
  expect(globSync('docs/*.md').filter((file) => !sources.includes(file))).toEqual([]);
});

test('every section of the README is on one page, but for its list of the documents', () => {
  const shown = sitePages.flatMap(({ sections = [] }) => sections);
  const titles = [...sectionsOf(readFileSync('README.md', 'utf8')).keys()];
  expect([...shown, ...sectionsNotShown].toSorted()).toEqual(titles.toSorted());
});

test('a page that names a section that the README does not have is refused', () => {
  const page = { source: 'README.md', path: 'other', label: 'Other', sections: ['Missing'] };
  expect(() => readmePage('# Reeve\n', page)).toThrow('The README has no section "Missing".');
});
