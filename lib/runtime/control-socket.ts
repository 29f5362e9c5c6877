/**
 * What the command line asks a running Reeve on the same machine that the API does not offer: a backup
 * holds all details, sensitive ones too, so that only those may have one who may read the data directory.
 * A socket in that directory is exactly as open as it is.
 */
import { rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import * as z from 'zod';
import { describeError, ReeveError } from '#core/errors.ts';
import type { Log } from '#ports/log.ts';

const requestSchema = z.object({ backup: z.string() });
const answerSchema = z.union([
  z.object({ done: z.literal(true) }),
  z.object({ code: z.string(), message: z.string() }),
]);
type Answer = z.infer<typeof answerSchema>;

/** A request is one short line, bytes. */
const requestMax = 8_192;

export interface ControlOptions {
  readonly path: string;
  readonly backup: (to: string) => Promise<void>;
  readonly log: Log;
}

/** Listens; the function it gives stops it. The data is locked, so that a socket found there is a dead one's. */
export function serveControl({ path, backup, log }: ControlOptions): () => void {
  rmSync(path, { force: true });
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    let request = '';
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      request += chunk;
      if (request.length > requestMax) socket.destroy();
      else if (request.endsWith('\n')) {
        void answered(request, backup).then((answer) => socket.end(JSON.stringify(answer)));
      }
    });
    // Whoever asked has gone: what was asked for is done all the same.
    socket.on('error', () => {});
  });
  server.on('error', (error) => {
    log.warn('control-unavailable', { path, error: error.message });
  });
  server.listen(path);
  // It alone keeps no process.
  server.unref();
  return () => {
    server.close();
  };
}

async function answered(request: string, backup: ControlOptions['backup']): Promise<Answer> {
  try {
    await backup(requestSchema.parse(JSON.parse(request)).backup);
    return { done: true };
  } catch (error) {
    const code = error instanceof ReeveError ? error.code : 'backup-failed';
    return { code, message: describeError(error) };
  }
}

/**
 * Asks the Reeve that runs on these data.
 *
 * @throws {ReeveError} `not-running`, or what it answered
 */
export async function askForBackup(path: string, to: string): Promise<void> {
  const socket = connect(path);
  socket.write(`${JSON.stringify({ backup: to })}\n`);
  const answer = answerSchema.parse(JSON.parse(await said(socket, path)));
  if ('code' in answer) throw new ReeveError(answer.code, answer.message);
}

async function said(socket: Socket, path: string): Promise<string> {
  let all = '';
  try {
    for await (const chunk of socket.setEncoding('utf8')) all += String(chunk);
    return all;
  } catch (cause) {
    throw new ReeveError(
      'not-running',
      `No Reeve answers at ${path}. Is it running, on the same data? While it is stopped, copy the files of its data directory.`,
      { cause },
    );
  }
}
