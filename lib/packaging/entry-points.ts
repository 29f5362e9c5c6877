/** The entry points of the package `reeve`: what its users can import, and the programs in it. */

/** The source of each subpath of the package. */
export const subpaths = {
  '.': 'lib/package/index.ts',
  './local': 'lib/package/local.ts',
  './http': 'lib/package/http.ts',
  './client': 'lib/package/client.ts',
  './lambda': 'lib/package/lambda.ts',
  './cdk': 'lib/package/cdk.ts',
  './testing': 'lib/package/testing.ts',
} as const satisfies Readonly<Record<string, string>>;

/** Programs that run as processes of their own, and are not imported. */
const programs = [
  'bin/reeve.ts',
  'bin/suppliers.ts',
  'lib/infra/functions/bundle.ts',
  'lib/infra/functions/report-implementations.ts',
  'lib/infra/functions/report-workflows.ts',
  'lib/infra/functions/run-module.ts',
] as const;

/** Everything from which the compiler starts. */
export const roots: readonly string[] = [...Object.values(subpaths), ...programs];

/** The path of a source, after it was compiled. */
export const compiled = (source: string): string => source.replace(/\.ts$/, '.js');

/** The path of the declarations of a source. */
export const declared = (source: string): string => source.replace(/\.ts$/, '.d.ts');
