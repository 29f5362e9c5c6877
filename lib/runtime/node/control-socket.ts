/**
 * The control socket: requests of the command line to a running Reeve on the same machine that the API does not offer.
 * A backup contains sensitive details, so only users who may read the data directory may request one. A socket in that
 * directory has the same permissions.
 */
import { rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import * as z from 'zod';
import { describeError, ReeveError, UnavailableError } from '#core/model/errors.ts';
import type { Log } from '#ports/log.ts';
import { otherData } from '#runtime/local/data-directory.ts';

const requestSchema = z.object({ backup: z.string() });
const answerSchema = z.union([
  z.object({ done: z.literal(true) }),
  /** `mayPass`: a retry may succeed. */
  z.object({ code: z.string(), message: z.string(), mayPass: z.boolean().default(true) }),
]);
type Answer = z.infer<typeof answerSchema>;

/** The maximum size of a request, bytes; it is one short line. */
const requestMax = 8_192;

/** Options of {@link serveControl}. */
export interface ControlOptions {
  readonly path: string;
  readonly backup: (to: string) => Promise<void>;
  readonly log: Log;
}

/**
 * Listens until the returned function is called. Replaces an existing socket: this process holds the lock on the data,
 * so the socket belongs to a dead process.
 */
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
    // The client has disconnected; its request is still carried out.
    socket.on('error', () => {});
  });
  server.on('error', (error) => {
    log.warn('control-unavailable', { path, error: error.message });
  });
  server.listen(path);
  // The socket must not keep the process alive.
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
    const message = describeError(error);
    return error instanceof ReeveError
      ? { code: error.code, message, mayPass: error instanceof UnavailableError }
      : { code: 'backup-failed', message, mayPass: true };
  }
}

/**
 * Requests a backup from the Reeve behind the socket.
 *
 * @throws {UnavailableError} `not-running`
 * @throws {ReeveError} the error that Reeve returned
 */
export async function askForBackup(path: string, to: string): Promise<void> {
  const socket = connect(path);
  socket.write(`${JSON.stringify({ backup: to })}\n`);
  const answer = await said(socket, path);
  if (!('code' in answer)) return;
  const { code, message, mayPass } = answer;
  // The code is one of the process that answered, which may be of another release.
  throw mayPass
    ? new UnavailableError<string>(code, message)
    : new ReeveError<string>(code, message);
}

/** A Reeve that ends meanwhile sends no answer, or a part of one. */
async function said(socket: Socket, path: string): Promise<Answer> {
  let all = '';
  try {
    for await (const chunk of socket.setEncoding('utf8')) all += String(chunk);
    return answerSchema.parse(JSON.parse(all));
  } catch (cause) {
    throw new UnavailableError(
      'not-running',
      `No Reeve answers at ${path}. Is it running, on the same data? ${otherData} While Reeve is stopped, copy the files of its data directory.`,
      { cause },
    );
  }
}
