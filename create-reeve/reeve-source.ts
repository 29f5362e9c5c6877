/** What a new project depends on as `reeve`. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';

/** `~1.2.3` is a range of versions, and `~/reeve.tgz` a path, as `C:/reeve` is. */
const isPath = (text: string) =>
  text.startsWith('file:') ||
  (/^[./]|^~[/\\]|^[a-z]:[/\\]|\.(tgz|tar\.gz)$/i.test(text) && !isUrl(text));
const isUrl = (text: string) => /^[a-z+]{2,}:\/\//i.test(text);

/**
 * A version as it is, and a path as an absolute one: npm resolves those of a `package.json` from its own folder.
 *
 * @param given a version, an address, or the path of an archive
 * @param from the folder of relative paths
 * @throws {Error} when there is no such file
 */
export function reeveSource(given: string, from: string): string {
  if (!isPath(given)) return given;
  const path = resolve(from, given.replace(/^file:(\/\/(?=\/))?/, ''));
  if (existsSync(path)) return path;
  throw new Error(`--reeve ${given}: there is no file ${path}.`);
}
