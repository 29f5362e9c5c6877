/** The pages of the built site, as their files have them. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The folder of the built site. */
const siteFolder = join(import.meta.dirname, '..', '..', 'dist', 'docs');

/** Every file of the site, by its path. */
export const siteFiles = (): readonly string[] =>
  readdirSync(siteFolder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(siteFolder.length + 1));

/** The names of all pages, such as `package/local.html`, without the one for what is not there. */
export const sitePageNames = (): readonly string[] =>
  siteFiles().filter((name) => name.endsWith('.html') && name !== '404.html');

export const readSite = (name: string): string => readFileSync(join(siteFolder, name), 'utf8');

/** The values of an attribute, in any element or in elements of one name. */
export function attributes(html: string, name: string, element = '\\w+'): readonly string[] {
  const found = html.matchAll(new RegExp(`<${element}\\b[^>]*?\\s${name}="([^"]*)"`, 'g'));
  return [...found].map(([, value = '']) => value.replaceAll('&amp;', '&'));
}

/** The text of a page, without its elements. */
export function textOf(html: string): string {
  return html
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/&#(\d+);/g, (_, code) => String.fromCodePoint(Number(code)))
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll(/\s+/g, ' ');
}
