/** The commands and options for commander; each command has its own file. */
import { Argument, Command, Option } from 'commander';
import { priorities, roles } from '#cli/api/response-schemas.ts';
import { makeToken, type TokenOptions, whoAmI } from '#cli/commands/access-command.ts';
import {
  type AgentAction,
  operateAgent,
  showAgents,
  weighAgent,
} from '#cli/commands/agents-command.ts';
import type { Action } from '#cli/commands/bulk-asking.ts';
import { type BulkOptions, bulk } from '#cli/commands/bulk-command.ts';
import { type RedriveOptions, redrive, showDeadLetters } from '#cli/commands/dlq-command.ts';
import { explainWait } from '#cli/commands/explain-command.ts';
import {
  type LimitAmountOptions,
  resetLimit,
  setLimit,
  showLimits,
} from '#cli/commands/limits-command.ts';
import { type ListOptions, list } from '#cli/commands/list-command.ts';
import { operate } from '#cli/commands/operator-command.ts';
import { type ShowOptions, show } from '#cli/commands/show-command.ts';
import { showStatus } from '#cli/commands/status-command.ts';
import { type SubmitOptions, submit } from '#cli/commands/submit-command.ts';
import { resetFaults, setFaults, showFaults, showLedger } from '#cli/commands/suppliers-command.ts';
import { defaultSuppliersUrl, defaultUrl } from '#cli/options/address.ts';
import { anyCase } from '#cli/options/any-case.ts';
import { limitArgument, nameArgument } from '#cli/options/name-argument.ts';
import { addFilterOptions, moment } from '#cli/options/order-filter.ts';
import { rateOption } from '#cli/options/rate-option.ts';
import { refuseRepeats } from '#cli/options/refuse-repeats.ts';
import { addCorrection } from '#cli/options/set-option.ts';
import { wholeNumberOption } from '#cli/options/whole-number-option.ts';
import { type Context, contextOf, type GlobalOptions } from './context.ts';
import type { CliEnvironment } from './environment.ts';
import type { ExitCode } from './exit-code.ts';
import { environmentHelp } from './help-text.ts';
import { addData, addLocal, addProve, type Done, onlyHere } from './local-commands.ts';

type Run = <Arguments extends readonly unknown[]>(
  work: (context: Context, ...args: Arguments) => Promise<ExitCode>,
) => (this: Command, ...args: Arguments) => Promise<void>;

/** @param json true with `--json`: errors and the version are then JSON too */
export function buildProgram(world: CliEnvironment, done: Done, json: boolean): Command {
  const { version } = world;
  const program = new Command('reeve');
  program
    .description(
      'Runs multi-step orders across unreliable services: each order completes, is undone, or is handed to an operator.',
    )
    .version(json ? JSON.stringify({ version }) : version, '-V, --version', 'print the version')
    .option('--url <url>', `the address of Reeve (default: ${defaultUrl})`)
    .option('--stack <name>', 'the CloudFormation stack of a Reeve on AWS')
    .option(
      '--json',
      'print JSON instead of text: results as the API gives them, errors as {"error": …}',
    )
    .addHelpText('after', environmentHelp)
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: world.stdout,
      writeErr: world.stderr,
      // With --json the error is a document on standard output.
      outputError: (text, write) => (json ? undefined : write(text)),
      getOutHelpWidth: () => world.terminal()?.columns ?? 80,
      getErrHelpWidth: () => world.terminal()?.columns ?? 80,
    })
    .exitOverride();
  const runIn =
    (of: CliEnvironment, check: (options: GlobalOptions) => void = () => {}): Run =>
    (work) =>
      async function (...args) {
        const options = this.optsWithGlobals<GlobalOptions>();
        check(options);
        done(await work(await contextOf(of, options), ...args));
      };
  const run = runIn(world);
  // The suppliers run on this machine, also when Reeve is in a stack.
  const runHere = runIn({ ...world, env: { ...world.env, ...nothingOfReeve } }, withoutReeve);
  addLocal(program, world, done);
  addProve(program, world, done);
  addData(program, world, done);
  addOrderCommands(program, run);
  addAgents(program, run);
  addLimits(program, run);
  addDeadLetters(program, run);
  addAccess(program, run, runHere);
  addSuppliers(program, runHere);
  refuseRepeats(program, ['--set']);
  return program;
}

/** The names of the simulated suppliers. */
const services = ['fraud', 'inventory', 'payment', 'shipping'];

/** Refuses the address of Reeve as an option, where it has no effect. */
function withoutReeve({ url, stack }: GlobalOptions): void {
  const given = { ...(url !== undefined && { url }), ...(stack !== undefined && { stack }) };
  onlyHere(given, 'This command calls no Reeve');
}

/** Empties the variables with the address of Reeve, and its token. */
const nothingOfReeve = { REEVE_STACK: '', REEVE_URL: '', REEVE_TOKEN: '', HOST: '', PORT: '' };

function addOrderCommands(program: Command, run: Run): void {
  const orderId = new Argument('<id>', 'the order id').argParser(nameArgument);
  program
    .command('submit')
    .description('submit an order')
    .argument('<file>', 'the file with the order as JSON; - for standard input')
    .option(
      '--wait',
      'wait until it is Processed, Undone or in Error; progress goes to standard error',
    )
    .option('--key <key>', 'idempotency key: the same key and body again give the same order')
    .option(
      '--lines',
      'the file has an order as JSON on each line; with --key cart, of at most 118 characters, line 7 has the key cart-7',
    )
    .option(
      '--correlation-id <id>',
      'your own name for the order; status messages and alerts contain it',
    )
    .action(run((context, file: string, options: SubmitOptions) => submit(context, file, options)));
  program
    .command('show')
    .description('show an order: its state, steps, their inputs and outputs, and its history')
    .addArgument(orderId)
    .option('--watch', 'follow it until it is Processed, Undone or in Error')
    .action(run((context, id: string, options: ShowOptions) => show(context, id, options)));
  const listCommand = program
    .command('list')
    .description('list orders, newest first')
    .option(
      '--limit <n>',
      'the maximum number of orders, 1 to 200 (default: 50)',
      wholeNumberOption(1, 200),
    )
    .option('--cursor <cursor>', 'continue where an earlier page ended')
    .action(run((context, options: ListOptions) => list(context, options)));
  addFilterOptions(listCommand);
  program
    .command('status')
    .description('show what waits now: for each agent its circuit and held steps; not on AWS')
    .action(run((context) => showStatus(context)));
  addOperator(
    program,
    run,
    'resubmit',
    'continue an order in Error, or many of them, at the failed step',
  );
  addOperator(
    program,
    run,
    'cancel',
    'undo an order instead of finishing it, or many orders at once',
  );
  addOperator(
    program,
    run,
    'reprioritise',
    'move an order, or many of them, to another priority class; calls in flight continue',
  );
}

function addOperator(program: Command, run: Run, action: Action, description: string): void {
  const command = program
    .command(action)
    .description(description)
    .addArgument(
      new Argument(
        '[id]',
        `the order id; without one, all orders that the options select${action === 'resubmit' ? '' : '; without --state, those that have not ended'}`,
      ).argParser(nameArgument),
    )
    .option('--yes', 'change the selected orders; without this, they are only listed')
    .action(
      run((context, id: string | undefined, options: BulkOptions) =>
        id === undefined ? bulk(context, action, options) : operate(context, action, id, options),
      ),
    );
  addFilterOptions(command).addHelpText('after', bulkHelp);
  if (action !== 'resubmit') {
    const meaning = 'only those that were submitted before then; a duration or an instant';
    command.option('--submitted-before <when>', meaning, moment);
  }
  if (action === 'resubmit') command.option('--set <field=value>', setHelp, addCorrection);
  if (action === 'reprioritise') {
    const option = new Option('--priority <class>', 'the new priority class');
    command.addOption(anyCase(option, priorities).makeOptionMandatory());
  }
}

const bulkHelp = `
With --json and without an id, the output is
  without --yes   {"orders": [{"orderId", "revision"}]}
  with --yes      one line per order: {"orderId", "kind", "what"}, where kind is
                  done, refused or failed, and what is the new state or the reason`;

const setHelp =
  'correct a field of the details of one order: payment.token=tok_2, or lines.0.quantity:=3 for JSON; repeatable';

function addAgents(program: Command, run: Run): void {
  const agents = program
    .command('agents')
    .description('the agents and pools: show the state, the weight and the load of each')
    .action(run((context) => showAgents(context)));
  const name = new Argument(
    '<name>',
    'the agent, such as payment, or payment-eu of the pool payment',
  ).argParser(nameArgument);
  const actions: readonly (readonly [AgentAction, string])[] = [
    ['drain', 'let no new calls go to it; what only it can do waits, and calls in flight continue'],
    ['resume', 'let new calls go to it again'],
  ];
  for (const [action, description] of actions) {
    agents
      .command(action)
      .description(description)
      .addArgument(name)
      .action(run((context, agent: string) => operateAgent(context, action, agent)));
  }
  agents
    .command('weight')
    .description('change its share of the calls that may go to any member of its pool')
    .addArgument(name)
    .argument('<weight>', '0 to 100, or default for that of the definition', memberWeight)
    .action(
      run((context, agent: string, weight: number | null) => weighAgent(context, agent, weight)),
    );
}

function addLimits(program: Command, run: Run): void {
  const limits = program
    .command('limits')
    .description('the limits of agents and pools: show how much each allows')
    .action(run((context) => showLimits(context)));
  const name = new Argument(
    '<limit>',
    'its agent or pool, and its name: payment/per-tenant',
  ).argParser(limitArgument);
  limits
    .command('set')
    .description('change how much it allows; what is left out is that of its definition')
    .addArgument(name)
    .option('--rate <rate>', 'calls per time: 5/s, 100/min, 2000/h, 50/d, 3/10s', rateOption)
    .option('--burst <calls>', 'how many of them may begin together', limitCalls)
    .option('--at-once <calls>', 'calls in flight', limitCalls)
    .action(
      run((context, limit: string, amount: LimitAmountOptions) => setLimit(context, limit, amount)),
    );
  limits
    .command('reset')
    .description('let it allow what its definition says again')
    .addArgument(name)
    .action(run((context, limit: string) => resetLimit(context, limit)));
  limits
    .command('explain')
    .description('what an order waits for, and how many orders have waited for it for longer')
    .addArgument(new Argument('<id>', 'the order id').argParser(nameArgument))
    .action(run((context, orderId: string) => explainWait(context, orderId)));
}

/** The API knows the range of each limit; this is the largest. */
const limitCalls = wholeNumberOption(1, 100_000);
const weight = wholeNumberOption(0, 100);

/** Null: that of the definition. */
function memberWeight(text: string): number | null {
  if (text.toLowerCase() === 'default') return null;
  return weight(text);
}

function addDeadLetters(program: Command, run: Run): void {
  const dlq = program
    .command('dlq')
    .description('dead letters on AWS: show each with the action it needs')
    .action(run((context) => showDeadLetters(context)));
  dlq
    .command('redrive')
    .description(
      'send back messages that an order still waits for, delete those that have no effect any more',
    )
    .option('--yes', 'do it; without this, only show what would be done')
    .action(run((context, options: RedriveOptions) => redrive(context, options)));
}

function addAccess(program: Command, run: Run, runHere: Run): void {
  program
    .command('whoami')
    .description('show your name, role and tenant')
    .action(run((context) => whoAmI(context)));
  program
    .command('token')
    .description('create a token, and its entry for the file of REEVE_TOKENS')
    .argument('<name>', 'the name of the bearer in the history of orders')
    .addOption(
      new Option('--role <role>', 'the role of the bearer').choices(roles).makeOptionMandatory(),
    )
    .option('--tenant <tenant>', 'restrict the bearer to the orders of this tenant')
    .action(
      runHere((context, name: string, options: TokenOptions) => makeToken(context, name, options)),
    );
}

function addSuppliers(program: Command, run: Run): void {
  const suppliers = program
    .command('suppliers')
    .description('the simulated suppliers: show the faults of each service')
    .option('--suppliers-url <url>', `their address (default: ${defaultSuppliersUrl})`)
    .action(run((context) => showFaults(context)));
  suppliers
    .command('set')
    .description('change the faults of a service')
    .addArgument(new Argument('<service>', 'the service').choices(services))
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
    .description('show the effects at the services, by idempotency key')
    .argument('[id]', 'show only the effects of this order', nameArgument)
    .action(run((context, id: string | undefined) => showLedger(context, id)));
}
