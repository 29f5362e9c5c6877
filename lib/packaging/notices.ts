/** The licences of the code that is copied into the package: each demands that its text goes with the copy. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';

/** Licences that allow a copy under the licence of Reeve, with their text. */
const permissive = new Set([
  'Apache-2.0',
  'MIT',
  'MIT-0',
  'ISC',
  'BSD-2-Clause',
  'BSD-3-Clause',
  '0BSD',
]);

/** Licences that ask for no notice, so that a package may come without their text. */
const withoutNotice = new Set(['MIT-0', '0BSD']);

const manifestForm = z.object({
  name: z.string(),
  version: z.string(),
  license: z.string(),
  author: z.object({ name: z.string() }).optional().catch(undefined),
});

/**
 * The text of the notices.
 *
 * @param folders of the packages, relative to `root`
 * @throws {Error} when a licence is not permissive, or its text is missing
 */
export function notices(root: string, folders: readonly string[]): string {
  const parts = folders.map((folder) => {
    const path = join(root, folder);
    const { name, version, license, author } = manifestForm.parse(
      JSON.parse(readFileSync(join(path, 'package.json'), 'utf8')),
    );
    if (!permissive.has(license)) throw new Error(`${name} has the licence ${license}.`);
    return {
      title: `${name} ${version} (${license})`,
      text: licenceText(path, license, { root, author: author?.name }),
    };
  });
  const byText = Map.groupBy(parts, ({ text }) => text);
  const sections = [...byText].map(
    ([text, packages]) => `${packages.map(({ title }) => title).join('\n')}\n\n${text}`,
  );
  return `Reeve contains code of these packages:\n\n${sections.join(`\n${'-'.repeat(80)}\n`)}`;
}

interface LicenceSources {
  readonly root: string;
  readonly author: string | undefined;
}

/**
 * Some packages name their licence and leave its text to their repository. That of Apache is the one of Reeve; that of MIT
 * differs by the name of the author alone, and zod comes with it.
 */
function licenceText(path: string, license: string, { root, author }: LicenceSources): string {
  const file = readdirSync(path).find((name) => /^licen[cs]e/i.test(name));
  if (file !== undefined) return readFileSync(join(path, file), 'utf8').trim();
  if (license === 'Apache-2.0') return readFileSync(join(root, 'LICENSE'), 'utf8').trim();
  if (withoutNotice.has(license)) return 'Its licence asks for no notice.';
  if (license === 'MIT' && author !== undefined) {
    const text = readFileSync(join(root, 'node_modules/zod/LICENSE'), 'utf8').trim();
    return text.replace(/^Copyright .*$/m, `Copyright (c) ${author}`);
  }
  throw new Error(`${path} has no text of its licence, ${license}.`);
}
