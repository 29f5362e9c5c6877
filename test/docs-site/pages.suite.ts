/** The files of the built site: its pages, their links, and what they load. */
import { globSync, readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { expect, test } from 'vitest';
import { entryPages } from '#docs-site/site-pages.ts';
import { attributes, readSite, siteFiles, sitePageNames, textOf } from './built-pages.ts';

/** The file that the site answers an address with. */
const fileOf = (path: string) => (path.endsWith('/') ? `${path}index.html` : path).slice(1);

test('every document is a page, and the sidebar leads to every page', () => {
  const names = sitePageNames();
  const documents = globSync('docs/*.md').map((file) => posix.basename(file, '.md'));
  expect(documents.length).toBeGreaterThan(10);
  expect(names).toEqual(expect.arrayContaining(documents.map((name) => `${name}.html`)));
  const [, sidebar = ''] =
    /<nav[^>]*class="nav"(.*?)<\/nav>/s.exec(readSite('tutorial.html')) ?? [];
  expect(attributes(sidebar, 'href').map(fileOf).toSorted()).toEqual(names.toSorted());
});

test('every link leads to a file of the site, and to a heading of it', () => {
  const files = new Set(siteFiles());
  const ids = new Map(
    sitePageNames().map((name) => [name, new Set(attributes(readSite(name), 'id'))]),
  );
  const dead = sitePageNames().flatMap((name) =>
    attributes(readSite(name), 'href')
      .filter((href) => !/^[a-z]+:/.test(href))
      .filter((href) => {
        const [path = '', anchor] = href.split('#', 2);
        const file =
          path === ''
            ? name
            : fileOf(
                posix.resolve('/', posix.dirname(name), path) +
                  (path.endsWith('/') && path !== '/' ? '/' : ''),
              );
        if (!files.has(file)) return true;
        return (
          anchor !== undefined &&
          anchor !== '' &&
          ids.get(file)?.has(decodeURIComponent(anchor)) !== true
        );
      })
      .map((href) => `${name}: ${href}`),
  );
  expect(dead).toEqual([]);
});

test('a file of the repository that the site does not have is code, and no link', () => {
  expect(readSite('concepts.html')).toContain('<code>lib/workflows/order-fulfilment.ts</code>');
});

test('the pages load nothing from elsewhere', () => {
  const loaded = sitePageNames().flatMap((name) => {
    const html = readSite(name);
    const links = attributes(html, 'href', 'link');
    const sources = ['script', 'img', 'source', 'iframe'].flatMap((each) =>
      attributes(html, 'src', each),
    );
    expect(sources.length).toBeGreaterThan(0);
    return [...links, ...sources].map((address) => `${name}: ${address}`);
  });
  expect(loaded.filter((line) => !/: (\/(?!\/)|data:)/.test(line))).toEqual([]);
  const styles = siteFiles().filter((name) => name.endsWith('.css'));
  expect(styles.length).toBeGreaterThan(0);
  for (const name of styles)
    expect(readSite(name), name).not.toMatch(/(url\(|@import)\s*['"]?(https?:)?\/\//);
});

test.each(entryPages)(
  'the page of $entry has each export with its doc comment',
  ({ module, path }) => {
    const report = readFileSync(`docs/api/${posix.basename(module, '.ts')}.api.md`, 'utf8');
    const names = [
      ...report.matchAll(
        /^export (?:declare )?(?:abstract )?(?:function|class|interface|type|const) (\w+)/gm,
      ),
    ].map(([, name = '']) => name);
    expect(names.length).toBeGreaterThan(5);
    const html = readSite(`${path}.html`);
    for (const name of names) {
      const [, section = ''] = html.split(new RegExp(`<h3 id="[^"]*" tabindex="-1">${name} <`));
      // Its first element is the comment, its second one the declaration.
      expect(section.replace(/^.*?<\/h3>/s, ''), name).toMatch(/^<p>.*?<div class="language-ts/s);
      expect(textOf(section), name).toContain(name);
    }
  },
);

test('an option has its type and its default', () => {
  const text = textOf(readSite('package/reeve.html'));
  expect(text).toMatch(/holdMax\?: number How long the step may wait [^;]*? Default 24 h\./);
});

test('the name of a type leads to its heading', () => {
  const wrong = entryPages.flatMap(({ path }) => {
    const links = readSite(`${path}.html`).matchAll(/<a href="([^"#]*)#([^"]+)"><code>(\w+)</g);
    return [...links]
      .filter(([, page = '', id, name]) => {
        const target = readSite(page === '' ? `${path}.html` : page.slice(1));
        return !target.includes(`<h3 id="${id}" tabindex="-1">${name} <`);
      })
      .map(([link]) => `${path}: ${link}`);
  });
  expect(wrong).toEqual([]);
  expect(readSite('package/testing.html')).toContain(
    'href="/package/reeve.html#workflowdefinition"',
  );
  expect(readSite('package/client.html')).toContain('href="#reeveclient-2"><code>ReeveClient<');
});

test('the contracts can be downloaded', () => {
  const links = attributes(readSite('contracts/index.html'), 'href', 'a');
  const names = readdirSync('docs/contracts');
  expect(names.length).toBeGreaterThan(5);
  for (const name of names) {
    expect(links).toContain(`/contracts/${name}`);
    expect(JSON.parse(readSite(`contracts/${name}`))).toEqual(
      JSON.parse(readFileSync(`docs/contracts/${name}`, 'utf8')),
    );
  }
});
