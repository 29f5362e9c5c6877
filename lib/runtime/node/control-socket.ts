/**
 * The control socket: requests of the command line to a running Reeve on the same machine that the API does not offer.
 * A backup contains sensitive details, so only users who may read the data directory may request one. A socket in that
 * directory has the same permissions.
 */
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import * as z from 'zod';
import { describeError, errorCode, ReeveError, UnavailableError } from '#core/model/errors.ts';
import { onFile } from '#embedded/file-error.ts';
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

/** Systems refuse a longer path of a socket, bytes: macOS allows 103, Linux 107. */
const socketPathBytesMax = 103;

interface Way {
  /** A path of the socket that the system accepts. */
  readonly path: string;
  /** Call it when the socket is opened. */
  readonly close: () => void;
}

/**
 * The way to a socket. One with a long path is opened by a link to its folder, which only this user sees; the socket is
 * in its folder all the same, whose permissions decide who uses it.
 *
 * @throws {ReeveError} see file-error.ts
 */
function wayTo(path: string): Way {
  if (Buffer.byteLength(path) <= socketPathBytesMax) return { path, close: () => {} };
  const base = tmpdir();
  const folder = onFile('Cannot make a folder in', base, () => mkdtempSync(join(base, 'reeve-')));
  const link = join(folder, 'data');
  symlinkSync(resolve(dirname(path)), link);
  return {
    path: join(link, basename(path)),
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}

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
  const unavailable = (error: unknown) =>
    log.warn('control-unavailable', { path, error: describeError(error) });
  server.on('error', unavailable);
  try {
    rmSync(path, { force: true });
    const way = wayTo(path);
    server.once('listening', way.close).once('error', way.close);
    server.listen(way.path);
  } catch (error) {
    unavailable(error);
  }
  // The socket must not keep the process alive.
  server.unref();
  return () => {
    const { listening } = server;
    server.close();
    // The server removes it by the path that it was given, which may have been a link.
    if (listening) rmSync(path, { force: true });
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
 * @throws {UnavailableError} `not-running`; {ReeveError} `file-unusable` where this user may not use the socket
 * @throws {ReeveError} the error that Reeve returned; see also file-error.ts
 */
export async function askForBackup(path: string, to: string): Promise<void> {
  const way = wayTo(path);
  const answer = await asked(way.path, { backup: to })
    .catch((cause: unknown) => {
      throw unasked(path, cause);
    })
    .finally(way.close);
  if (!('code' in answer)) return;
  const { code, message, mayPass } = answer;
  // The code is one of the process that answered, which may be of another release.
  throw mayPass
    ? new UnavailableError<string>(code, message)
    : new ReeveError<string>(code, message);
}

/** A Reeve that ends meanwhile sends no answer, or a part of one. */
async function asked(path: string, request: z.infer<typeof requestSchema>): Promise<Answer> {
  const socket = connect(path);
  socket.write(`${JSON.stringify(request)}\n`);
  let all = '';
  for await (const chunk of socket.setEncoding('utf8')) all += String(chunk);
  return answerSchema.parse(JSON.parse(all));
}

function unasked(path: string, cause: unknown): ReeveError {
  // It may run then, and files in use are no backup.
  if (['EACCES', 'EPERM'].includes(errorCode(cause) ?? '')) {
    return new ReeveError(
      'file-unusable',
      `Cannot ask the Reeve at ${path} for a backup: this user has no permission. Run the command as the user that Reeve runs as.`,
      { cause },
    );
  }
  return new UnavailableError(
    'not-running',
    `No Reeve answers at ${path}. Is it running, on the same data? ${otherData} While Reeve is stopped, copy the files of its data directory.`,
    { cause },
  );
}
