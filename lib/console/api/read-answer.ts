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
  if (status < 200 || status > 299)
    return { kind: 'refused', status, problem: problemOf(status, text) };
  const body = parsed<Body>(text);
  return typeof body === 'object' && body !== null
    ? { kind: 'ok', body }
    : { kind: 'refused', status, problem: notOfReeve };
}

const notOfReeve: Problem = {
  title: 'The answer is none of Reeve',
  detail: 'Reload the page, and check proxies between.',
  code: 'answer-unknown',
};

/** A gateway answers with a document of its own. */
function problemOf(status: number, text: string): Problem {
  const problem = parsed<Problem>(text);
  const { title, detail, code } = problem ?? {};
  const isProblem = [title, detail, code].every((part) => typeof part === 'string');
  if (problem !== null && isProblem) return problem;
  return {
    title: `Reeve answered ${status}`,
    detail: 'The log of Reeve contains the cause.',
    code: 'unknown',
  };
}

/** Null when it is not JSON. */
function parsed<Document>(text: string): Document | null {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
