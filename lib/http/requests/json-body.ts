/** Request bodies: strict JSON in UTF-8, or none where a route needs none. A body that parsers read differently is refused. */
import type { Context, MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { routes } from '#core/access/routes.ts';
import { cutText } from '#core/codec/cut-text.ts';
import { faultText, type JsonFault, strictJson } from '#core/codec/strict-json.ts';
import { limits } from '#core/model/limits.ts';
import { fieldProblem, problem, respondProblem } from '#http/problem.ts';
import type { Problem } from '#http/problem-schema.ts';

/** Refuses a body over the limit of its route, with or without a Content-Length. */
export function limitedBody(): MiddlewareHandler {
  const single = limitedTo(limits.bodyBytesMax);
  const batch = limitedTo(limits.batchBytesMax);
  return (context, next) => {
    const limited = context.req.path === routes.submitOrders.path ? batch : single;
    return limited(context, next);
  };
}

function limitedTo(bytesMax: number): MiddlewareHandler {
  const tooLarge = (context: Context) =>
    respondProblem(
      context,
      problem('body-too-large', `A body may have at most ${bytesMax} bytes here.`),
    );
  const counted = bodyLimit({ maxSize: bytesMax, onError: tooLarge });
  return async (context, next) => {
    const { method } = context.req;
    if (method === 'GET' || method === 'HEAD') return next();
    const declared = declaredBytes(context);
    if (declared === 'unreadable') return respondProblem(context, unreadableLength);
    // A length is checked without the stream of the body: on Node, making it costs more than all other checks of a small order.
    if (declared !== null) return declared > bytesMax ? tooLarge(context) : next();
    try {
      return await counted(context, next);
    } catch (error) {
      // Errors of routes are handled elsewhere: here, the body could not be read.
      if (error instanceof Error) return respondProblem(context, brokenOff);
      throw error;
    }
  };
}

/** The Content-Length; null where there is none, or where the body has a length of its own. */
function declaredBytes({ req }: Context): number | 'unreadable' | null {
  const length = req.header('content-length');
  if (length === undefined || req.header('transfer-encoding') !== undefined) return null;
  return /^\d{1,15}$/.test(length) ? Number(length) : 'unreadable';
}

/** Node refuses it before; other platforms may not, and a length below 0 would pass every limit. */
const unreadableLength = fieldProblem('header-invalid', [
  { field: 'Content-Length', message: 'must be a whole number of bytes' },
]);

/** The connection is closed, so no client reads this; it is not an error of Reeve. */
const brokenOff = problem(
  'request-malformed',
  'The connection ended before the body was complete.',
);

/** Refuses what is not strict JSON, and keeps what it means. @param isRequired whether there must be a body */
export function jsonBody(isRequired: boolean): MiddlewareHandler<BodyEnv> {
  return async (context, next) => {
    const coding = context.req.header('content-encoding') ?? 'identity';
    if (coding.toLowerCase() !== 'identity') {
      context.header('accept-encoding', 'identity');
      return respondProblem(context, unsupported('Send the body without a Content-Encoding.'));
    }
    const bytes = await bodyOf(context);
    if (bytes === null) return respondProblem(context, brokenOff);
    if (bytes.byteLength === 0 && !isRequired) {
      // Some clients send the type with every request, also without a body.
      context.set('body', {});
      return next();
    }
    const wrongType = typeFault(context.req.header('content-type'));
    if (wrongType !== null) return respondProblem(context, wrongType);
    const json = strictJson(bytes);
    if (json.kind === 'refused') return respondProblem(context, bodyProblem(json.fault));
    context.set('body', json.value);
    return next();
  };
}

/** The variables of a request whose body is strict JSON. */
export interface BodyEnv {
  readonly Variables: {
    /** What the body means; an empty object where there is none. */
    body: unknown;
  };
}

/** Null when the client disconnected. */
async function bodyOf({ req }: Context): Promise<ArrayBuffer | null> {
  try {
    return await req.arrayBuffer();
  } catch {
    return null;
  }
}

function typeFault(header: string | undefined): Problem | null {
  const [type = '', ...parameters] = (header ?? '').split(';').map((part) => part.trim());
  if (type.toLowerCase() !== 'application/json') {
    return unsupported('Send the header Content-Type: application/json.');
  }
  for (const parameter of parameters) {
    const [, charset] = /^charset\s*=\s*"?([^"]*)"?$/i.exec(parameter) ?? [];
    if (charset !== undefined && charset.toLowerCase() !== 'utf-8') {
      return unsupported(
        `Send the body in UTF-8; the charset ${cutText(charset, 40)} is not supported.`,
      );
    }
  }
  return null;
}

const unsupported = (detail: string) => problem('media-type-unsupported', detail);

function bodyProblem(fault: JsonFault): Problem {
  const { field, message } = fault;
  const errors = field === null ? undefined : [{ field, message }];
  return problem('json-malformed', `The body ${faultText(fault)}.`, errors);
}
