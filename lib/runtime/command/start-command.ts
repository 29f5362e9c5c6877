/** The process of `reeve start` and `reeve dev`: Reeve with its API, as the environment says. */
import type { WorkflowDefinition } from '#core/definition/workflow-definition.ts';
import { describeError, ReeveError } from '#core/model/errors.ts';
import { makeFolder } from '#embedded/folder.ts';
import type { AgentImplementation } from '#ports/agent-implementation.ts';
import type { Log } from '#ports/log.ts';
import { alertGrouping } from '#runtime/local/alert-grouping.ts';
import { type Config, readConfig } from '#runtime/local/config.ts';
import { socketIn } from '#runtime/local/data-directory.ts';
import { serveApi } from '#runtime/local/http-server.ts';
import { startLocalReeve } from '#runtime/local/local-reeve.ts';
import { namedTokens } from '#runtime/local/named-tokens.ts';
import { type Closers, closers } from '#runtime/node/closers.ts';
import { serveControl } from '#runtime/node/control-socket.ts';
import { jsonLog } from '#runtime/node/json-log.ts';
import { systemClock } from '#runtime/node/system-clock.ts';
import { configuredOptions } from './configured-options.ts';
import { terminalAlert, terminalCircuit } from './terminal-alert.ts';
import { terminalErrors } from './terminal-errors.ts';
import { shownWarnings } from './terminal-warnings.ts';

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

/** What a process serves. */
export interface Served {
  readonly workflows: readonly WorkflowDefinition[];
  readonly agents: readonly AgentImplementation[];
  /** Whether the code that runs is being written: its errors are shown with their messages. */
  readonly isDevelopment: boolean;
  /** The last lines of what a start prints. `command`: how to call this Reeve, up to the name of a command. */
  welcome(command: string): string;
}

/** Makes what a process serves, and registers what must be closed. */
export type Serve = (config: Config, open: Closers) => Promise<Served>;

/** The time to close everything, ms; supervisors of processes wait longer between SIGTERM and SIGKILL. */
const closeWithinMs = 1_500;

/**
 * Runs until `stopped` resolves, which may be during the start. Returns the exit code: 2 when the start failed.
 *
 * Connections to services that hang may still be open afterwards, so the caller must call `process.exit`.
 *
 * @param onRefused called with the reason of a start that failed
 */
export async function startCommand(
  io: StartIo,
  serve: Serve,
  onRefused: (error: ReeveError) => void = () => {},
): Promise<number> {
  const open = closers({
    clock: systemClock,
    withinMs: closeWithinMs,
    onFailure: (name, error) => {
      const what = describeError(error);
      io.stderr(`Could not close the ${name}: ${what}\n`);
    },
  });
  try {
    await Promise.race([start(io, open, serve), io.stopped]);
    await io.stopped;
    return 0;
  } catch (error) {
    if (!(error instanceof ReeveError)) throw error;
    onRefused(error);
    io.stderr(`${error.message} (${error.code})\n`);
    return 2;
  } finally {
    await open.closeAll();
  }
}

async function start(io: StartIo, open: Closers, serve: Serve): Promise<void> {
  const config = readConfig(io.env);
  makeDirectory(config.REEVE_DATA);
  const { workflows, agents, isDevelopment, welcome } = await serve(config, open);
  const log = jsonLog(systemClock, config.REEVE_LOG, io.stderr);
  const access = accessOf(config, log, io);
  const command = Promise.withResolvers<string>();
  const alerts = alertGrouping({
    show: (text) => io.stdout(terminalAlert(text, io)),
    clock: systemClock,
  });
  open.add('alerts', alerts.close);
  const reeve = await startLocalReeve({
    ...{ workflows, agents, log: shownWarnings(log, io.stdout) },
    ...configuredOptions(config, io.env),
    onAlert: async (alert) => alerts.alert(alert, await command.promise),
    onCircuit: (event) => io.stdout(terminalCircuit(event, io)),
    ...(isDevelopment && {
      onCodeError: terminalErrors({ show: io.stdout, clock: systemClock, screen: io }),
    }),
    command: command.promise,
  });
  open.add('state store', reeve.close);
  const path = socketIn(config.REEVE_DATA);
  open.add('control socket', serveControl({ path, backup: reeve.backup, log }));
  const server = await serveApi(reeve, { host: config.HOST, port: config.PORT, ...access });
  open.add('API', server.close);
  const line = commandOf(server.url);
  io.stdout(`Reeve listens on ${server.url}\nConsole on ${server.url}/\n${welcome(`${line} `)}`);
  command.resolve(line);
}

/** With named tokens, the access log is written at every log level. */
function accessOf({ REEVE_TOKENS: path }: Config, log: Log, { stderr }: StartIo) {
  if (path === undefined) return {};
  return {
    identify: namedTokens({ path, clock: systemClock, log }),
    accessLog: jsonLog(systemClock, 'info', stderr),
  };
}

/** The command line with the URL of this Reeve, unless it is the one that the command line calls by default. */
const commandOf = (url: string) =>
  url === 'http://127.0.0.1:4400' ? 'npx reeve' : `npx reeve --url ${url}`;

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
