/** The contracts on DynamoDB Local; one message names missing requirements. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const tools = ['java', 'mvn'];
const missing = tools.filter((tool) => spawnSync(tool, ['-version']).status !== 0);
if (missing.length > 0) {
  const names = missing.join(' and ');
  process.stderr.write(
    `The contracts on DynamoDB Local need Java 17 or later and Maven; this machine has no working ${names}.\n`,
  );
  process.exitCode = 1;
} else {
  const config = join(import.meta.dirname, 'vitest.config.ts');
  const vitest = [join('node_modules', 'vitest', 'vitest.mjs'), 'run', '--root', '.'];
  const { status } = spawnSync(process.execPath, [...vitest, '--config', config], {
    stdio: 'inherit',
  });
  process.exitCode = status ?? 1;
}
