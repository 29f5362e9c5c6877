/** The manifest of the package: what its users install with it. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { packageManifest, repositoryManifest } from '#packaging/manifest.ts';

const repository = repositoryManifest.parse(JSON.parse(readFileSync('package.json', 'utf8')));

test('zod is one with that of the application, and who deploys nothing installs nothing of the CDK', () => {
  const imported = ['hono/etag', 'zod', 'aws-cdk-lib/aws-sqs', 'constructs', 'esbuild'];
  const manifest = packageManifest(repository, imported);
  expect(manifest).toMatchObject({
    dependencies: { hono: `^${repository.dependencies['hono']}` },
    peerDependenciesMeta: {
      'aws-cdk-lib': { optional: true },
      constructs: { optional: true },
      esbuild: { optional: true },
    },
  });
  expect(manifest).not.toHaveProperty('peerDependenciesMeta.zod');
  expect(manifest).not.toHaveProperty('devDependencies');
  expect(Object.keys(Reflect.get(manifest, 'dependencies'))).toEqual(['hono']);
  expect(Object.keys(Reflect.get(manifest, 'peerDependencies')).toSorted()).toEqual(
    ['aws-cdk-lib', 'constructs', 'esbuild', 'zod'].toSorted(),
  );
});

test('a package that is no dependency of the repository is named', () => {
  expect(() => packageManifest(repository, ['left-pad'])).toThrow('left-pad is no dependency');
});
