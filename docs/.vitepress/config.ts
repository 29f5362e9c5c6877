/** The documentation site. `npm run docs` makes the pages that it consists of, and builds it: see bin/docs.ts. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { MarkdownRenderer } from 'vitepress';
import { defineConfig } from 'vitepress';
import { anchorOf } from '#docs-site/heading-anchor.ts';
import { type LinkTarget, linkTarget, linkText } from '#docs-site/repository-links.ts';
import { addressOf, sections } from '#docs-site/site-pages.ts';

const root = join(import.meta.dirname, '..', '..');

type Token = ReturnType<MarkdownRenderer['parse']>[number];

export default defineConfig({
  title: 'Reeve',
  description: 'Runs multi-step orders across unreliable services.',
  srcDir: '../.reeve-docs',
  outDir: '../dist/docs',
  cacheDir: '../.reeve-docs/cache',
  head: [['link', { rel: 'icon', href: '/mark.svg', type: 'image/svg+xml' }]],
  themeConfig: {
    logo: '/mark.svg',
    search: { provider: 'local' },
    outline: [2, 3],
    sidebar: sections.map(({ title, pages }) => ({
      text: title,
      items: pages.map(({ label, path }) => ({ text: label, link: addressOf(path) })),
    })),
    nav: [
      { text: 'Tutorial', link: '/tutorial' },
      { text: 'Recipes', link: '/recipes' },
      { text: 'Reference', link: '/reference' },
      { text: 'Package', link: '/package/' },
    ],
  },
  markdown: {
    anchor: { slugify: anchorOf },
    // Braces in the text of the documents are no attributes.
    attrs: { disable: true },
    config(renderer) {
      drawDiagrams(renderer);
      leadLinks(renderer);
    },
  },
  // The search index is large, and is loaded when it is needed.
  vite: { build: { chunkSizeWarningLimit: 4_000 } },
});

/** A block of Mermaid becomes a diagram in the browser, as on GitHub. */
function drawDiagrams({ renderer }: MarkdownRenderer): void {
  const { fence } = renderer.rules;
  renderer.rules.fence = (tokens, at, ...rest) => {
    const token = tokens[at];
    if (token?.info.trim() !== 'mermaid') return fence?.(tokens, at, ...rest) ?? '';
    return `<MermaidDiagram source="${encodeURIComponent(token.content)}" />\n`;
  };
}

/** Links to files of the repository become links to pages of the site, or the path of the file as code. */
function leadLinks(renderer: MarkdownRenderer): void {
  renderer.core.ruler.push('repository-links', ({ tokens, env }) => {
    const path = String(env.relativePath).replace(/\.md$/, '');
    for (const token of tokens) token.children &&= led(path, token.children);
  });
}

function led(path: string, tokens: readonly Token[]): Token[] {
  /** Where the current link leads; null outside of links. */
  let link: LinkTarget | null = null;
  return tokens.filter((token) => {
    if (token.type === 'link_open') {
      link = linkTarget(path, token.attrGet('href') ?? '');
      if (link.kind === 'address') token.attrSet('href', link.address);
      else if (!existsSync(join(root, link.file))) throw new Error(`${path}: no ${link.file}`);
      return link.kind === 'address';
    }
    if (token.type === 'link_close') {
      const isKept = link?.kind === 'address';
      link = null;
      return isKept;
    }
    if (token.type === 'image') {
      const image = linkTarget(path, token.attrGet('src') ?? '');
      if (image.kind === 'address') token.attrSet('src', image.address);
    } else if (link?.kind === 'address') token.content = linkText(link.address, token.content);
    else if (link?.kind === 'file') {
      // The text of such a link is the path of the file, or the end of it.
      Object.assign(token, { type: 'code_inline', tag: 'code', content: link.file });
    }
    return true;
  });
}
