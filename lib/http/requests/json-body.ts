/** Request bodies: strict JSON in UTF-8, or none where a route needs none. A body that parsers read differently is refused. */
import type { Context, MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { routes } from '#core/access/routes.ts';
import { faultText, notUtf8, strictJson, utf8Text } from '#core/codec/strict-json.ts';
import { limits } from '#core/model/limits.ts';
import { problem, respondProblem } from '#http/problem.ts';
import type { Problem } from '#http/problem-schema.ts';

/** Refuses a body over the limit of its route, with or without a Content-Length. */
export function limitedBody(): MiddlewareHandler {
  const single = limitedTo(limits.bodyBytesMax);
  const batch = limitedTo(limits.batchBytesMax);
  return async (context, next) => {
    const limited = context.req.path === routes.submitOrders.path ? batch : single;
    try {
      return await limited(context, next);
    } catch (error) {
      // Errors of routes are handled elsewhere: here, the body could not be read.
      if (error instanceof Error) return respondProblem(context, brokenOff);
      throw error;
    }
  };
}

const limitedTo = (maxSize: number) =>
  bodyLimit({
    maxSize,
    onError: (context) =>
      respondProblem(
        context,
        problem('body-too-large', `A body may have at most ${maxSize} bytes here.`),
      ),
  });

/** The connection is closed, so no client reads this; it is not an error of Reeve. */
const brokenOff = problem(
  'request-malformed',
  'The connection ended before the body was complete.',
);

/** Refuses what is not strict JSON. @param isRequired whether there must be a body */
export function jsonBody(isRequired: boolean): MiddlewareHandler {
  return async (context, next) => {
    const coding = context.req.header('content-encoding') ?? 'identity';
    if (coding.toLowerCase() !== 'identity') {
      context.header('accept-encoding', 'identity');
      return respondProblem(context, unsupported('Send the body without a Content-Encoding.'));
    }
    const bytes = await bodyOf(context);
    if (bytes === null) return respondProblem(context, brokenOff);
    const { headers } = context.req.raw;
    if (bytes.byteLength === 0 && !isRequired) {
      // Some clients send the type with every request, also without a body.
      headers.delete('content-type');
      return next();
    }
    const refused = typeFault(context.req.header('content-type')) ?? bodyFault(bytes);
    if (refused !== null) return respondProblem(context, refused);
    // The next reader compares the type case-sensitively.
    headers.set('content-type', 'application/json');
    return next();
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
      return unsupported(`Send the body in UTF-8; the charset ${charset} is not supported.`);
    }
  }
  return null;
}

const unsupported = (detail: string) => problem('media-type-unsupported', detail);

function bodyFault(bytes: ArrayBuffer): Problem | null {
  const text = utf8Text(bytes);
  if (text === null) return problem('json-malformed', `The body ${faultText(notUtf8)}.`);
  const json = strictJson(text);
  if (json.kind === 'json') return null;
  const { field, message } = json.fault;
  const errors = field === null ? undefined : [{ field, message }];
  return problem('json-malformed', `The body ${faultText(json.fault)}.`, errors);
}
