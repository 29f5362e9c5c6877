/** The commands of this machine, for commander: they need no address of a Reeve. */
import { Argument, type Command } from 'commander';
import { completion, type Shell, shells } from '#cli/commands/completion-command.ts';
import { wholeNumberOption } from '#cli/options/whole-number-option.ts';
import { CliError } from './cli-error.ts';
import { type GlobalOptions, printJson, printLines } from './context.ts';
import { printOutcome } from './data-command.ts';
import type { CliEnvironment, DataCommand, ProveOptions } from './environment.ts';
import { exitCodes } from './exit-code.ts';

/** Receives the exit code of a command. */
export type Done = (code: number) => void;

/** @param data the default of the data directory */
const serverVariables = (data: string) => `
Environment (docs/reference.md describes each):
  HOST, PORT            where the API listens (default: 127.0.0.1, 4400)
  REEVE_TOKENS          the file of named tokens; required if HOST is not loopback
  REEVE_DATA            the data directory (default: ${data})
  REEVE_KEEP_DAYS       days that an order is kept after its end (default: 30)
  REEVE_CHANNELS        the file of the response channels
  REEVE_TENANT_WEIGHTS  the shares of tenants when orders wait, such as {"inn":4}
  REEVE_BACKLOG_MAX     the longest that an order may wait, in seconds (default: 900)
  REEVE_LOG             info, warn, error or silent (default: error)`;

const startHelp = `
It runs a shop with four services, to try Reeve out. Your own workflows run by \`reeve dev\`, or in your own process by
\`startLocalReeve\` of the package.
${serverVariables('.reeve/shop')}
  REEVE_FRAUD_URL, REEVE_INVENTORY_URL, REEVE_PAYMENT_URL, REEVE_SHIPPING_URL
                        your services; without them simulated suppliers start
  REEVE_SUPPLIERS_PORT  where the simulated suppliers listen (default: 4401)`;

const devHelp = `
The module exports workflows and implementations of agents, each by itself or in a list. A module without the definition of an
order that has not ended is not run: the order would stop in Error.
${serverVariables('.reeve')}`;

/** Adds the commands that call no server: `dev`, `start` and `completion`. */
export function addLocal(program: Command, world: CliEnvironment, done: Done): void {
  program
    .command('dev')
    .description('run the workflows and agents of a module, again after each change beside it')
    .argument('<module>', 'the path of the module, such as ./workflows.ts')
    .option('--no-reload', 'run them once, as they are now')
    .addHelpText('after', devHelp)
    .action(async (module: string, { reload }: { readonly reload: boolean }) => {
      onlyHere(program.opts(), '`reeve dev` calls no other Reeve and prints no JSON');
      const { env, stdout, stderr, terminal } = world;
      done(await world.dev({ env, stdout, stderr, terminal }, module, reload));
    });
  program
    .command('start')
    .description('run an example shop with simulated services, to try Reeve out')
    .addHelpText('after', startHelp)
    .action(async () => {
      onlyHere(program.opts(), '`reeve start` calls no other Reeve and prints no JSON');
      const { env, stdout, stderr, terminal } = world;
      done(await world.start({ env, stdout, stderr, terminal }));
    });
  program
    .command('completion')
    .description(
      'print a script that completes commands and options: source <(reeve completion bash)',
    )
    .addArgument(new Argument('<shell>', 'the shell').choices(shells))
    .action((shell: Shell) => {
      onlyHere(program.opts(), '`reeve completion` calls no Reeve and prints no JSON');
      world.stdout(completion(program, shell));
      done(exitCodes.done);
    });
}

const proveHelp = `
It exits with 1 when a world shows a mistake, and prints the shortest way to it. The module is such as:

  import { defineProof, soundAgent } from 'reeve/testing';
  import { payment, shop } from './workflow.ts';

  export const proof = defineProof({
    workflows: [shop],
    agents: [soundAgent(payment, ({ cents }) => ({ charge: \`charged \${cents}\` }))],
    orders: (draw) => ({ cents: draw.between(1, 1000) }),
  });

docs/testing.md describes it.`;

const seedsForm = wholeNumberOption(1, Number.MAX_SAFE_INTEGER);

/** Adds `prove`, which simulates the workflows of a module. */
export function addProve(program: Command, world: CliEnvironment, done: Done): void {
  program
    .command('prove')
    .description(
      'prove the workflows of a module: simulate them in worlds with faults, and find mistakes',
    )
    .argument('<module>', 'the path of a module that exports what `defineProof` returns')
    .option('--seeds <number>', 'how many worlds (default: as the proof says, or 200)', seedsForm)
    .option(
      '--first-seed <number>',
      'the first of them, such as one that showed a mistake',
      seedsForm,
    )
    .addHelpText('after', proveHelp)
    .action(async (module: string, options: ProveOptions) => {
      const { json = false, ...others } = program.opts<GlobalOptions>();
      onlyHere(others, '`reeve prove` calls no Reeve');
      const { problem, isProven, lines, document } = await world.prove(module, options);
      if (problem !== null) throw new CliError(exitCodes.usage, problem);
      if (json) printJson(world, { isProven, ...document });
      else printLines(world, lines);
      done(isProven ? exitCodes.done : exitCodes.defect);
    });
}

/** Refuses options that would have no effect. @throws {CliError} `usage` */
export function onlyHere(options: GlobalOptions, why: string): void {
  const given = Object.keys(options).map((name) => `--${name}`);
  if (given.length === 0) return;
  throw new CliError(exitCodes.usage, `${why}: leave out ${given.join(' and ')}.`);
}

interface DataOptions {
  readonly data?: string;
  readonly acceptLoss?: boolean;
  readonly yes?: boolean;
}

/** Adds the commands for files on this machine: `check`, `backup` and `restore`. */
export function addData(program: Command, world: CliEnvironment, done: Done): void {
  const act = async (command: DataCommand, { data }: DataOptions) => {
    const { json = false, ...others } = program.opts<GlobalOptions>();
    onlyHere(others, `\`reeve ${command.kind}\` is about files on this machine`);
    // Usually an unset variable; the current directory is not meant.
    if (data === '') throw new CliError(exitCodes.usage, '--data is empty.');
    if (data === undefined && world.env['REEVE_DATA'] === '') {
      throw new CliError(exitCodes.usage, 'REEVE_DATA is empty.');
    }
    done(printOutcome(world, json, await world.data(command, data)));
  };
  const add = (name: string, description: string) =>
    program
      .command(name)
      .description(description)
      .option(
        '--data <dir>',
        'the data directory (default: REEVE_DATA, or .reeve; that of `reeve start` is .reeve/shop)',
      );
  add('check', 'check all stored orders, while Reeve is stopped')
    .option('--accept-loss', 'continue without the accepted orders that are missing')
    .action(({ acceptLoss = false, ...options }: DataOptions) =>
      act({ kind: 'check', acceptLoss }, options),
    );
  add('backup', 'copy the data of the running Reeve on this machine')
    .argument('<file>', 'the backup file, which must not exist')
    .action((file: string, options: DataOptions) => act({ kind: 'backup', file }, options));
  add('restore', 'replace the data with a backup, while Reeve is stopped')
    .argument('<file>', 'a file that reeve backup made')
    .option('--yes', 'replace existing data, which are kept under another name')
    .action((file: string, { yes = false, ...options }: DataOptions) =>
      act({ kind: 'restore', file, yes }, options),
    );
}
