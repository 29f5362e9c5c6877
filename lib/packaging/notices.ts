/** The licences of the code that is copied into the package: each demands that its text goes with the copy. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';

/** Licences that allow a copy under the licence of Reeve, with their text. */
const permissive = new Set(['Apache-2.0', 'MIT', 'ISC', 'BSD-2-Clause', 'BSD-3-Clause', '0BSD']);

const manifestForm = z.object({ name: z.string(), version: z.string(), license: z.string() });

/**
 * The text of the notices.
 *
 * @param folders of the packages, relative to `root`
 * @throws {Error} when a licence is not permissive, or its text is missing
 */
export function notices(root: string, folders: readonly string[]): string {
  const parts = folders.map((folder) => {
    const path = join(root, folder);
    const { name, version, license } = manifestForm.parse(
      JSON.parse(readFileSync(join(path, 'package.json'), 'utf8')),
    );
    if (!permissive.has(license)) throw new Error(`${name} has the licence ${license}.`);
    return { title: `${name} ${version} (${license})`, text: licenceText(path, license, root) };
  });
  const byText = Map.groupBy(parts, ({ text }) => text);
  const sections = [...byText].map(
    ([text, packages]) => `${packages.map(({ title }) => title).join('\n')}\n\n${text}`,
  );
  return `Reeve contains code of these packages:\n\n${sections.join(`\n${'-'.repeat(80)}\n`)}`;
}

/** Some packages of the AWS SDK name their licence and leave its text to their repository: it is that of Reeve. */
function licenceText(path: string, license: string, root: string): string {
  const file = readdirSync(path).find((name) => /^licen[cs]e/i.test(name));
  if (file !== undefined) return readFileSync(join(path, file), 'utf8').trim();
  const own = join(root, 'LICENSE');
  if (license === 'Apache-2.0' && existsSync(own)) return readFileSync(own, 'utf8').trim();
  throw new Error(`${path} has no text of its licence, ${license}.`);
}
