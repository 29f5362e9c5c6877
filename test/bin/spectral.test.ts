/** The published contracts pass the recommended rules of Spectral, without a warning. */
import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';

/** As a reader of the contracts runs it. */
function lint(file: string) {
  const words = ['lint', file, '--ruleset', '.spectral.yaml', '--fail-severity', 'warn', '--quiet'];
  return new Promise<{ code: unknown; said: string }>((done) => {
    execFile(resolve('node_modules/.bin/spectral'), words, (error, stdout, stderr) =>
      done({ code: error?.code ?? 0, said: `${stdout}${stderr}` }),
    );
  });
}

test.each(['openapi.json', 'asyncapi.json'])(
  '%s has no warning',
  async (file) => {
    const { code, said } = await lint(`docs/contracts/${file}`);
    expect(said).not.toMatch(/ (warning|error) /);
    expect(code, said).toBe(0);
  },
  60_000,
);
