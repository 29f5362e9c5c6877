/** Headings and links of a Markdown page, as GitHub interprets them. */
import { anchorOf } from '#docs-site/heading-anchor.ts';

export interface Link {
  /** A path relative to the page; empty for the page itself. */
  readonly path: string;
  /** Null when the link has none. */
  readonly anchor: string | null;
}

/** Text in fenced blocks and in `code` has neither headings nor links. */
const withoutBlocks = (page: string) => page.replace(/^(```|~~~).*?^\1 *$/gms, '');

/** The titles of all headings, without their markup. */
export function headingsOf(page: string): readonly string[] {
  return [...withoutBlocks(page).matchAll(/^#{1,6} +(.+?) *$/gm)].map(([, title = '']) =>
    title.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll('`', ''),
  );
}

/** The anchors that GitHub makes of the headings; a title that occurs again gets a number. */
export function anchorsOf(page: string): ReadonlySet<string> {
  const anchors = new Set<string>();
  for (const title of headingsOf(page)) {
    const anchor = anchorOf(title);
    let unique = anchor;
    for (let again = 1; anchors.has(unique); again += 1) unique = `${anchor}-${again}`;
    anchors.add(unique);
  }
  return anchors;
}

/** Links and images that lead to a file of the repository or to a heading, without those to other sites. */
export function linksOf(page: string): readonly Link[] {
  const text = withoutBlocks(page).replaceAll(/`[^`\n]*`/g, 'code');
  const inline = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
  const attributes = [...text.matchAll(/\b(?:src|href)="([^"]+)"/g)].map(
    ([, target = '']) => target,
  );
  return [...inline, ...attributes]
    .filter((target) => !/^[a-z]+:/.test(target))
    .map((target) => {
      const [path = '', anchor = null] = target.split('#', 2);
      return { path, anchor };
    });
}
