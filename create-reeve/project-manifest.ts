/** The `package.json` of a new project. */

/** Where Reeve runs. */
export const targets = ['embedded', 'aws', 'both'] as const;
/** See {@link targets}. */
export type Target = (typeof targets)[number];

/** Whether the text names a target. */
export const isTarget = (text: string): text is Target => targets.some((target) => target === text);

/** What {@link projectManifest} needs. */
export interface Project {
  readonly name: string;
  readonly target: Target;
  /** The versions of packages, by name. */
  readonly versions: unknown;
  /** The version of Reeve, or the absolute path of its archive. Default: that of `versions`. */
  readonly reeve: string | undefined;
}

/** @throws {Error} when the version of a package is missing */
export function projectManifest({ name, target, versions, reeve }: Project): object {
  const of = (names: readonly string[]) =>
    Object.fromEntries(names.map((each) => [each, versionOf(versions, each)]));
  const isDeployed = target !== 'embedded';
  return {
    name,
    private: true,
    type: 'module',
    engines: { node: '>=22.18' },
    scripts: {
      dev: 'reeve dev ./src/index.ts',
      order: 'reeve submit order.json --wait',
      ...(target !== 'aws' && { start: 'node src/main.ts' }),
      test: 'tsc && vitest run',
      prove: 'reeve prove ./test/proof.ts',
      ...(isDeployed && { synth: 'cdk synth --quiet', deploy: 'cdk deploy' }),
    },
    dependencies: { ...of(['reeve', 'zod']), ...(reeve !== undefined && { reeve }) },
    devDependencies: of([
      ...(isDeployed ? ['aws-cdk', 'aws-cdk-lib', 'constructs', 'esbuild'] : []),
      ...['@types/node', 'typescript', 'vitest'],
    ]),
    ...(isDeployed && { allowScripts: { esbuild: true } }),
  };
}

function versionOf(versions: unknown, name: string): string {
  const version: unknown =
    typeof versions === 'object' && versions !== null && name in versions
      ? Reflect.get(versions, name)
      : undefined;
  if (typeof version === 'string') return version;
  throw new Error(`The version of ${name} is missing.`);
}
