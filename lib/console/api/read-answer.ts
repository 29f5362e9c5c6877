/** Reads responses. What stands between the console and Reeve may answer as Reeve never does, and connections may be lost in a body. */
import type { Answer } from './answer.ts';
import type { Problem } from './documents.ts';

/** Null when there is no response, or its body did not arrive. */
export async function textOf(response: Response | null): Promise<string | null> {
  return response === null ? null : response.text().catch(() => null);
}

/** @param text null: see {@link textOf} */
export function answerOf<Body>(status: number, text: string | null): Answer<Body> {
  if (text === null) return { kind: 'unreachable' };
  const body = parsed<Body>(text);
  if ((status < 200 || status > 299) && !isHealth(status, body))
    return { kind: 'refused', status, problem: problemOf(status, body) };
  return typeof body === 'object' && body !== null
    ? { kind: 'ok', body }
    : { kind: 'refused', status, problem: notOfReeve };
}

/** Reeve itself answers with 503 too, when it has a fault or refuses for a while: then with a document of its own. */
export function isOfReeve(status: number, text: string | null): boolean {
  if (status !== 503) return status !== 502 && status !== 504;
  const document = text === null ? null : parsed<unknown>(text);
  return isProblem(document) || isHealth(status, document);
}

/** `/healthz` has the same document with 503 as with 200. */
function isHealth(status: number, document: unknown): boolean {
  if (status !== 503 || typeof document !== 'object' || document === null) return false;
  return 'causes' in document && Array.isArray(document.causes) && 'lastSweepAt' in document;
}

const notOfReeve: Problem = {
  title: 'The answer is none of Reeve',
  detail: 'Reload the page, and check proxies between.',
  code: 'answer-unknown',
};

/** The code of a refusal whose document is none of Reeve. */
export const codeUnknown = 'unknown';

/** A gateway answers with a document of its own. */
function problemOf(status: number, document: unknown): Problem {
  if (isProblem(document)) return document;
  return {
    title: `Reeve answered ${status}`,
    detail: 'The log of Reeve contains the cause.',
    code: codeUnknown,
  };
}

function isProblem(document: unknown): document is Problem {
  if (typeof document !== 'object' || document === null) return false;
  const { title, detail, code }: Partial<Record<keyof Problem, unknown>> = document;
  return [title, detail, code].every((part) => typeof part === 'string');
}

/** Null when it is not JSON. */
function parsed<Document>(text: string): Document | null {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
