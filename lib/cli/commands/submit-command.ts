/** `reeve submit`: submits an order, and with `--wait` waits until it ends; or with `--lines` many orders. */

import { exitCodeOf, followToEnd } from '#cli/api/follow.ts';
import { acceptedSchema } from '#cli/api/response-schemas.ts';
import { CliError, messageOf } from '#cli/cli-error.ts';
import { type Context, printJson, printLines } from '#cli/context.ts';
import type { CliEnvironment } from '#cli/environment.ts';
import { type ExitCode, exitCodes } from '#cli/exit-code.ts';
import { orderLine, submittedLine, troubleLines } from '#cli/output/order-text.ts';
import { lineView, noteView } from '#cli/output/views.ts';
import { type Line, submitLines } from './submit-lines.ts';

export interface SubmitOptions {
  readonly wait?: boolean;
  readonly key?: string;
  readonly correlationId?: string;
  readonly lines?: boolean;
}

/** The form of an idempotency key, as in the API description. */
const keyForm = /^[!-+\--~]{1,128}$/;
/** The number of the line is added. */
const linesKeyForm = /^[!-+\--~]{1,118}$/;

/** @param file a path, or `-` for standard input */
export async function submit(
  context: Context,
  file: string,
  { wait = false, lines = false, key, correlationId }: SubmitOptions,
): Promise<ExitCode> {
  const { environment, reeve, json, paint } = context;
  if (key !== undefined) checkKey(key, keyForm);
  if (lines) {
    if (wait || correlationId !== undefined) {
      const message = '--lines submits many orders: leave out --wait and --correlation-id.';
      throw new CliError(exitCodes.usage, message);
    }
    if (key !== undefined) checkKey(key, linesKeyForm);
    return submitLines(context, await readLines(environment, file, key ?? null));
  }
  const accepted = await reeve({
    method: 'POST',
    path: '/orders',
    answer: acceptedSchema,
    body: await readJsonText(environment, file, correlationId),
    ...(key !== undefined && { headers: { 'idempotency-key': key } }),
  });
  if (!json) printLines(environment, [submittedLine(accepted.value, paint)]);
  else if (!wait) printJson(environment, accepted.json);
  return wait ? waitForEnd(context, accepted.value.orderId) : exitCodes.done;
}

function checkKey(key: string, form: RegExp): void {
  if (form.test(key)) return;
  const lengthMax = form === keyForm ? 128 : 118;
  const allowed = `1 to ${lengthMax} visible ASCII characters without spaces and commas`;
  throw new CliError(exitCodes.usage, `--key must be ${allowed}.`);
}

async function waitForEnd(context: Context, orderId: string): Promise<ExitCode> {
  const { environment, json, paint } = context;
  const isLive = !json && environment.terminal() !== null;
  const view = isLive ? lineView(context) : noteView(context);
  const last = await followToEnd(context, orderId, view, true);
  if (json) printJson(environment, last.json);
  else
    printLines(environment, [orderLine(last.value, paint), ...troubleLines(last.value, context)]);
  return exitCodeOf(last.value);
}

/** The lines with an order; all of them are checked before the first is sent. @param key null: no idempotency keys */
async function readLines(
  world: CliEnvironment,
  file: string,
  key: string | null,
): Promise<readonly Line[]> {
  const name = nameOf(file);
  const nameOfLine = (line: number) => `Line ${line} of ${name}`;
  // Line by line: all of the bytes may be more than one text can have.
  const lines = [...linesIn(await readBytes(world, file, name))]
    .map((bytes, at) => ({ line: at + 1, text: decoded(nameOfLine(at + 1), bytes).trim() }))
    .filter(({ text }) => text !== '');
  return lines.map(({ line, text }) => {
    const document = parse(nameOfLine(line), text);
    const own = isJsonObject(document) && 'key' in document ? document.key : undefined;
    const isGiven = key !== null && own === undefined && isJsonObject(document);
    const keyed = isGiven ? withField(text, document, ['key', `${key}-${line}`]) : text;
    return {
      ...{ line, text: keyed, bytes: Buffer.byteLength(keyed) },
      hasKey: isGiven || typeof own === 'string',
    };
  });
}

function* linesIn(bytes: Uint8Array): Generator<Uint8Array> {
  for (let from = 0; from <= bytes.length; ) {
    const found = bytes.indexOf(0x0a, from);
    const end = found < 0 ? bytes.length : found;
    yield bytes.subarray(from, end);
    from = end + 1;
  }
}

const nameOf = (file: string) => (file === '-' ? 'standard input' : file);

/** Returns the original text, because parsing and printing could change its numbers. */
async function readJsonText(
  world: CliEnvironment,
  file: string,
  correlationId: string | undefined,
): Promise<string> {
  const name = nameOf(file);
  const text = decoded(name, await readBytes(world, file, name));
  const document = parse(name, text);
  if (correlationId === undefined) return text;
  if (!isJsonObject(document)) {
    throw new CliError(
      exitCodes.usage,
      `${name} is not a JSON object, so it takes no --correlation-id.`,
    );
  }
  if (Object.hasOwn(document, 'correlationId')) {
    throw new CliError(
      exitCodes.usage,
      `${name} already has a correlationId: remove it there, or leave out --correlation-id.`,
    );
  }
  return withField(text, document, ['correlationId', correlationId]);
}

const isJsonObject = (document: unknown): document is object =>
  typeof document === 'object' && document !== null && !Array.isArray(document);

/** @param document what the text of an object says */
function withField(text: string, document: object, [name, value]: [string, string]): string {
  const comma = Object.keys(document).length === 0 ? '' : ',';
  return text.replace(/}\s*$/, () => `${comma}"${name}":${JSON.stringify(value)}}`);
}

function parse(name: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new CliError(exitCodes.usage, `${name} is not JSON: ${messageOf(cause)}`, {
      reason: 'file-not-json',
      cause,
    });
  }
}

async function readBytes(world: CliEnvironment, file: string, name: string): Promise<Uint8Array> {
  try {
    return await (file === '-' ? world.stdin() : world.readFile(file));
  } catch (cause) {
    throw new CliError(exitCodes.usage, `${name} cannot be read: ${messageOf(cause)}`, {
      reason: 'file-unreadable',
      cause,
    });
  }
}

function decoded(name: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new CliError(exitCodes.usage, `${name} is not valid UTF-8. Save it in UTF-8.`, {
      reason: 'file-not-json',
      cause,
    });
  }
}
