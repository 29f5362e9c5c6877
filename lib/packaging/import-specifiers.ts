/**
 * The specifiers of imports in compiled files. The compiler writes each import and export on a line of its own, and in
 * declarations also `import("…")` within a type.
 */
import { dirname, relative } from 'node:path';
import { compiled } from './entry-points.ts';

/** An import or export at the begin of a line, and an import within a line. */
const forms = [
  /^((?:import|export)\b(?:[^'"`;]*?\bfrom)?\s*)(['"])([^'"\n]+)\2/gm,
  /(\bimport\()(['"])([^'"\n]+)\2/g,
] as const;

/** The specifiers in the order of their first use, each once. */
export function specifiersOf(text: string): readonly string[] {
  const found = new Set<string>();
  rewriteSpecifiers(text, (specifier) => {
    found.add(specifier);
    return specifier;
  });
  return [...found];
}

/** The text with each specifier replaced. */
export function rewriteSpecifiers(text: string, to: (specifier: string) => string): string {
  return forms.reduce(
    (rewritten, form) =>
      rewritten.replace(
        form,
        (_whole, before: string, quote: string, specifier: string) =>
          `${before}${quote}${to(specifier)}${quote}`,
      ),
    text,
  );
}

/**
 * How specifiers of a compiled file become those within the package: the compiler rewrites only relative ones, and those only
 * in code.
 *
 * @param aliases the `imports` of the repository, such as `#core/*.ts` with its folder
 */
export function withinPackage(
  file: string,
  aliases: Readonly<Record<string, string>>,
): (specifier: string) => string {
  return (specifier) => {
    if (specifier.startsWith('.')) return specifier.replace(/\.ts$/, '.js');
    for (const [pattern, target] of Object.entries(aliases)) {
      const [before = '', after = ''] = pattern.split('*');
      if (!specifier.startsWith(before) || !specifier.endsWith(after)) continue;
      const name = specifier.slice(before.length, -after.length);
      const path = relative(dirname(file), compiled(target.replace('*', name)));
      return path.startsWith('.') ? path : `./${path}`;
    }
    return specifier;
  };
}

/**
 * The names that a compiled file takes from a package: `*` for all of them.
 *
 * @throws {Error} when it imports the package in a form whose names cannot be known
 */
export function importedNames(text: string, specifier: string): readonly string[] {
  const names = new Set<string>();
  const form =
    /^import\s+(\w+)?(?:\s*,\s*)?(?:(\*)\s+as\s+\w+|\{([^}]*)\})?\s+from\s+(['"])([^'"\n]+)\4/gm;
  let known = 0;
  for (const [, byDefault, all, list = '', , from] of text.matchAll(form)) {
    if (from !== specifier) continue;
    known += 1;
    if (byDefault !== undefined) names.add('default');
    if (all !== undefined) names.add('*');
    for (const item of list.split(',')) {
      const [name = ''] = item.trim().split(/\s+as\s+/);
      if (name !== '') names.add(name);
    }
  }
  let used = 0;
  rewriteSpecifiers(text, (each) => {
    if (each === specifier) used += 1;
    return each;
  });
  if (known !== used) {
    throw new Error(`Import ${specifier} by names: the build copies only those that are used.`);
  }
  return [...names];
}

/** The name of the package of a specifier: `hono` of `hono/etag`. */
export function packageOf(specifier: string): string {
  const [scope = '', name = ''] = specifier.split('/');
  return specifier.startsWith('@') ? `${scope}/${name}` : scope;
}

/** Whether a specifier names a package, and neither a file nor a part of Node. */
export const isPackage = (specifier: string): boolean =>
  !specifier.startsWith('.') && !specifier.startsWith('#') && !specifier.startsWith('node:');
