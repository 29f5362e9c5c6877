/** Links between files of the repository, as links of the site. */
import { posix } from 'node:path';
import { anchorOf } from './heading-anchor.ts';
import { addressOf, contractsPage, packagePage, type SitePage, sitePages } from './site-pages.ts';

/** Where a link of a page leads: to an address, or to a file that the site does not have. */
export type LinkTarget =
  | { readonly kind: 'address'; readonly address: string }
  | { readonly kind: 'file'; readonly file: string };

/** The folder of the contracts, which the site has as files. */
export const contractsFolder = 'docs/contracts';
/** The folder of the images, which the site has as files. */
export const imagesFolder = 'docs/images';
/** The folder of the API reports. The site has pages of the same exports instead. */
const reportsFolder = 'docs/api';

/**
 * @param path the page of the site that has the link, without its extension
 * @param href the link as its Markdown has it
 */
export function linkTarget(path: string, href: string): LinkTarget {
  const page = sitePages.find((each) => each.path === path);
  if (page === undefined || /^(\w+:|\/)/.test(href)) return address(href);
  const [relative = '', anchor] = href.split('#', 2);
  const file = relative === '' ? page.source : posix.join(posix.dirname(page.source), relative);
  const target = pageOf(file.replace(/\/$/, ''), page, anchor);
  if (target === undefined) return { kind: 'file', file };
  if (target === addressOf(path)) return address(`#${anchor ?? ''}`);
  return address(anchor === undefined ? target : `${target}#${anchor}`);
}

/** The text of a link: where it is the name of a file, the name of the page that the site makes of it. */
export function linkText(address: string, text: string): string {
  const [path] = address.split('#', 1);
  const page = sitePages.find((each) => addressOf(each.path) === path);
  const isItsName = text.endsWith('.md') && page?.source.endsWith(text);
  return page !== undefined && isItsName ? page.label : text;
}

const address = (text: string): LinkTarget => ({ kind: 'address', address: text });

/** The absolute address of what the site has of a file or folder. */
function pageOf(file: string, from: SitePage, anchor: string | undefined): string | undefined {
  const ofFile = sitePages.filter(({ source }) => source === file);
  const page =
    ofFile.find((each) => anchor !== undefined && shows(each, anchor)) ??
    ofFile.find((each) => each === from) ??
    ofFile[0];
  if (page !== undefined) return addressOf(page.path);
  if (file === contractsFolder) return addressOf(contractsPage.path);
  if (file === reportsFolder) return addressOf(packagePage.path);
  for (const folder of [contractsFolder, imagesFolder])
    if (file.startsWith(`${folder}/`)) return file.replace('docs', '');
  return undefined;
}

const shows = ({ sections = [] }: SitePage, anchor: string) =>
  sections.some((title) => anchorOf(title) === anchor);
