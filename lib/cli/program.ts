/** The commands and options as commander reads them; each command itself is in its own file. */
import { Argument, Command, InvalidArgumentError } from 'commander';
import { type Action, type BulkOptions, bulk } from './bulk-command.ts';
import {
  type Context,
  contextOf,
  defaultSuppliersUrl,
  defaultUrl,
  type GlobalOptions,
} from './context.ts';
import { addCorrection } from './corrections.ts';
import { type RedriveOptions, redrive, showLetters } from './dlq-command.ts';
import { type ExitCode, exitCodesHelp } from './exit-code.ts';
import { type ListOptions, list } from './list-command.ts';
import { operate } from './operator-command.ts';
import { addFilterOptions } from './order-filter.ts';
import { type ShowOptions, show } from './show-command.ts';
import { type SubmitOptions, submit } from './submit-command.ts';
import { resetFaults, setFaults, showFaults, showLedger } from './suppliers-command.ts';
import type { World } from './world.ts';

const environmentHelp = `
Environment:
  REEVE_URL            the address of Reeve, where there is no --url
  REEVE_STACK          the stack of Reeve, where there is neither --stack nor --url
  REEVE_TOKEN          the bearer token that Reeve asks for, if it does
  REEVE_SUPPLIERS_URL  the address of the simulated suppliers
  NO_COLOR             no colours, even on a terminal

${exitCodesHelp}`;

/** What happens with a command's exit code. */
type Done = (code: number) => void;
type Run = <Arguments extends readonly unknown[]>(
  work: (context: Context, ...args: Arguments) => Promise<ExitCode>,
) => (this: Command, ...args: Arguments) => Promise<void>;

export function buildProgram(world: World, done: Done): Command {
  const program = new Command('reeve');
  program
    .description('Brings orders that span several unreliable services to their end.')
    .option('--url <url>', `the address of Reeve (default: ${defaultUrl})`)
    .option('--stack <name>', 'the CloudFormation stack of a Reeve on AWS')
    .option('--json', "print the API's JSON instead of text")
    .addHelpText('after', environmentHelp)
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: world.stdout,
      writeErr: world.stderr,
      getOutHelpWidth: () => world.terminal()?.columns ?? 80,
      getErrHelpWidth: () => world.terminal()?.columns ?? 80,
    })
    .exitOverride();
  const runIn =
    (of: World): Run =>
    (work) =>
      async function (...args) {
        const context = await contextOf(of, this.optsWithGlobals<GlobalOptions>());
        done(await work(context, ...args));
      };
  const run = runIn(world);
  // The suppliers are on this machine, whatever stack Reeve is in.
  const runHere = runIn({ ...world, env: { ...world.env, REEVE_STACK: '' } });
  addStart(program, world, done);
  addOrderCommands(program, run);
  addDeadLetters(program, run);
  addSuppliers(program, runHere);
  return program;
}

/** Without `run`: Reeve reads its own environment, and an address to call it is not needed. */
function addStart(program: Command, world: World, done: Done): void {
  program
    .command('start')
    .description('run Reeve in this process')
    .action(async () => {
      const { env, stdout, stderr, terminal } = world;
      done(await world.start({ env, stdout, stderr, terminal }));
    });
}

function addOrderCommands(program: Command, run: Run): void {
  const orderId = new Argument('<id>', 'the order id');
  program
    .command('submit')
    .description('submit an order')
    .argument('<file>', 'its JSON; - for standard input')
    .option('--wait', 'wait until it is Processed, Undone or in Error')
    .option('--key <key>', 'idempotency key: the same key and body again give the same order')
    .option('--correlation-id <id>', 'your own name for it, told with every status and alert')
    .action(run((context, file: string, options: SubmitOptions) => submit(context, file, options)));
  program
    .command('show')
    .description('show an order, its steps and its history')
    .addArgument(orderId)
    .option('--watch', 'follow it until it is Processed, Undone or in Error')
    .action(run((context, id: string, options: ShowOptions) => show(context, id, options)));
  const listCommand = program
    .command('list')
    .description('list orders, newest first')
    .option('--limit <n>', 'how many at most', positiveInteger)
    .option('--cursor <cursor>', 'go on where an earlier page ended')
    .action(run((context, options: ListOptions) => list(context, options)));
  addFilterOptions(listCommand);
  addOperator(program, run, 'resubmit', 'let an order in Error go on, or all that the options say');
  addOperator(program, run, 'cancel', 'undo an order instead of finishing it, or many');
}

function addOperator(program: Command, run: Run, action: Action, description: string): void {
  const command = program
    .command(action)
    .description(description)
    .addArgument(new Argument('[id]', 'the order id; without one, those that the options say'))
    .option('--yes', 'do it; without, many orders are only shown')
    .action(
      run((context, id: string | undefined, options: BulkOptions) =>
        id === undefined ? bulk(context, action, options) : operate(context, action, id, options),
      ),
    );
  addFilterOptions(command);
  if (action === 'resubmit') command.option('--set <field=value>', setHelp, addCorrection);
}

const setHelp =
  'correct a field of the details of one order: payment.token=tok_2, or lines.0.quantity:=3 for JSON; again for more';

function addDeadLetters(program: Command, run: Run): void {
  const dlq = program
    .command('dlq')
    .description('messages that nobody could deal with, on AWS: show each with what it needs')
    .action(run((context) => showLetters(context)));
  dlq
    .command('redrive')
    .description('send back what its order still waits for, delete what can have no effect')
    .option('--yes', 'do it; without, only say what would be done')
    .action(run((context, options: RedriveOptions) => redrive(context, options)));
}

function addSuppliers(program: Command, run: Run): void {
  const suppliers = program
    .command('suppliers')
    .description("the simulated suppliers: show every service's faults")
    .option('--suppliers-url <url>', `their address (default: ${defaultSuppliersUrl})`)
    .action(run((context) => showFaults(context)));
  suppliers
    .command('set')
    .description("change a service's faults")
    .argument('<service>', 'fraud, inventory, payment or shipping')
    .argument(
      '<name=value...>',
      'latencyMs=200 transientRate=0.1 hangRate=0.2 declineRate=1 down=true',
    )
    .action(run((context, service: string, pairs: string[]) => setFaults(context, service, pairs)));
  suppliers
    .command('reset')
    .description('make all services healthy')
    .action(run((context) => resetFaults(context)));
  suppliers
    .command('ledger')
    .description('what the services did, by idempotency key')
    .argument('[order-id]', 'of this order only')
    .action(run((context, id: string | undefined) => showLedger(context, id)));
}

function positiveInteger(text: string): number {
  if (/^[1-9]\d*$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a whole number from 1.');
}
