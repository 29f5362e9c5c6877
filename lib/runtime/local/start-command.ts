/** `reeve start`: runs Reeve, its API and, unless all services are configured, the simulated suppliers. */
import { join } from 'node:path';
import { describeError, ReeveError } from '#core/model/errors.ts';
import { makeFolder } from '#embedded/folder.ts';
import type { Log } from '#ports/log.ts';
import { type Closers, closers } from '#runtime/node/closers.ts';
import { serveControl } from '#runtime/node/control-socket.ts';
import { jsonLog } from '#runtime/node/json-log.ts';
import { supplierProcess } from '#runtime/node/supplier-process.ts';
import { systemClock } from '#runtime/node/system-clock.ts';
import { systemRandom } from '#runtime/node/system-ids.ts';
import { webhook } from '#runtime/node/webhook.ts';
import { orderAgents, type ServiceUrls } from '#workflows/order-agents.ts';
import { workflows } from '#workflows/shipped.ts';
import { alertGrouping } from './alert-grouping.ts';
import { readChannels } from './channels-config.ts';
import { type Config, readConfig } from './config.ts';
import { databaseIn, socketIn } from './data-directory.ts';
import { serveApi } from './http-server.ts';
import { startLocalReeve } from './local-reeve.ts';
import { namedTokens } from './named-tokens.ts';
import { terminalAlert, terminalCircuit } from './terminal-alert.ts';

/** The process around the command. */
export interface StartIo {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
  /** Null when standard output is not a terminal. */
  readonly terminal: () => object | null;
  /** Resolves when the user wants Reeve to stop. */
  readonly stopped: Promise<void>;
}

/** The time to close everything, ms; supervisors of processes wait longer between SIGTERM and SIGKILL. */
const closeWithinMs = 1_500;

/**
 * Runs until `stopped` resolves, which may be during the start. Returns the exit code: 2 when the start failed.
 *
 * Connections to services that hang may still be open afterwards, so the caller must call `process.exit`.
 */
export async function startCommand(io: StartIo): Promise<number> {
  const open = closers({
    clock: systemClock,
    withinMs: closeWithinMs,
    onFailure: (name, error) => {
      const what = describeError(error);
      io.stderr(`Could not close the ${name}: ${what}\n`);
    },
  });
  try {
    await Promise.race([start(io, open), io.stopped]);
    await io.stopped;
    return 0;
  } catch (error) {
    if (!(error instanceof ReeveError)) throw error;
    io.stderr(`${error.message} (${error.code})\n`);
    return 2;
  } finally {
    await open.closeAll();
  }
}

async function start(io: StartIo, open: Closers): Promise<void> {
  const config = readConfig(io.env);
  makeDirectory(config.REEVE_DATA);
  const suppliersUrl = needsSuppliers(config) ? await startSuppliers(config, open) : null;
  const log = jsonLog(systemClock, config.REEVE_LOG, io.stderr);
  const access = accessOf(config, log, io);
  const command = commandOf(config);
  const alerts = alertGrouping({
    show: (text) => io.stdout(terminalAlert(text, io)),
    command,
    clock: systemClock,
  });
  open.add('alerts', alerts.close);
  const reeve = await startLocalReeve({
    workflows,
    agents: orderAgents(serviceUrls(config, suppliersUrl), fetch),
    path: databaseIn(config.REEVE_DATA),
    keepEndedMs: config.REEVE_KEEP_DAYS * 24 * 3_600_000,
    clock: systemClock,
    random: systemRandom,
    responseChannels: webhooksOf(readChannels(config.REEVE_CHANNELS, io.env)),
    ...(config.REEVE_TENANT_WEIGHTS !== undefined && {
      tenantWeights: config.REEVE_TENANT_WEIGHTS,
    }),
    backlogMaxMs: config.REEVE_BACKLOG_MAX * 1_000,
    onAlert: alerts.alert,
    onCircuit: (event) => io.stdout(terminalCircuit(event, io)),
    command,
    log,
  });
  open.add('state store', reeve.close);
  const path = socketIn(config.REEVE_DATA);
  open.add('control socket', serveControl({ path, backup: reeve.backup, log }));
  const server = await serveApi(reeve, {
    host: config.HOST,
    port: config.PORT,
    ...access,
  });
  open.add('API', server.close);
  io.stdout(welcome(server.url, suppliersUrl));
}

async function startSuppliers(config: Config, open: Closers): Promise<string> {
  const suppliers = supplierProcess({
    port: config.REEVE_SUPPLIERS_PORT,
    dataDir: join(config.REEVE_DATA, 'suppliers'),
  });
  open.add('simulated suppliers', suppliers.stop);
  return suppliers.url;
}

/** With named tokens, the access log is written at every log level. */
function accessOf({ REEVE_TOKENS: path }: Config, log: Log, { stderr }: StartIo) {
  if (path === undefined) return {};
  return {
    identify: namedTokens({ path, clock: systemClock, log }),
    accessLog: jsonLog(systemClock, 'info', stderr),
  };
}

function webhooksOf(channels: ReturnType<typeof readChannels>) {
  return Object.fromEntries(
    Object.entries(channels).map(([name, { url, secrets }]) => [
      name,
      webhook({ name, url, secrets: async () => secrets, fetch, clock: systemClock }),
    ]),
  );
}

/** The command line with the URL of this Reeve. */
function commandOf({ HOST, PORT }: Config): string {
  const host = HOST.includes(':') ? `[${HOST}]` : HOST;
  return host === '127.0.0.1' && PORT === 4400
    ? 'npx reeve'
    : `npx reeve --url http://${host}:${PORT}`;
}

function makeDirectory(path: string): void {
  try {
    makeFolder(path);
  } catch (cause) {
    throw new ReeveError(
      'data-unusable',
      `${describeError(cause)} Choose another REEVE_DATA that this user may write.`,
      { cause },
    );
  }
}

function needsSuppliers(config: Config): boolean {
  return [
    config.REEVE_FRAUD_URL,
    config.REEVE_INVENTORY_URL,
    config.REEVE_PAYMENT_URL,
    config.REEVE_SHIPPING_URL,
  ].includes(undefined);
}

function serviceUrls(config: Config, suppliersUrl: string | null): ServiceUrls {
  const at = (service: string) => `${suppliersUrl ?? ''}/${service}`;
  return {
    fraud: config.REEVE_FRAUD_URL ?? at('fraud'),
    inventory: config.REEVE_INVENTORY_URL ?? at('inventory'),
    payment: config.REEVE_PAYMENT_URL ?? at('payment'),
    shipping: config.REEVE_SHIPPING_URL ?? at('shipping'),
  };
}

function welcome(url: string, suppliersUrl: string | null): string {
  const at = url === 'http://127.0.0.1:4400' ? '' : `--url ${url} `;
  const lines = [
    `Reeve listens on ${url}`,
    `Console on ${url}/`,
    ...(suppliersUrl === null ? [] : [`Simulated suppliers on ${suppliersUrl}`]),
    '',
    'Try, in another terminal:',
    `  npx reeve ${at}submit examples/order.json --wait`,
    `  npx reeve ${at}list`,
  ];
  if (suppliersUrl !== null) {
    const there =
      suppliersUrl === 'http://127.0.0.1:4401' ? '' : ` --suppliers-url ${suppliersUrl}`;
    lines.push(
      `  npx reeve suppliers set payment declineRate=1${there}    # break a supplier, submit again`,
      `  npx reeve suppliers reset${there}`,
    );
  }
  return `${lines.join('\n')}\n`;
}
