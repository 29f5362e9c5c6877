/** The command line with scripted servers and a clock that only sleeping advances. */
import { Hono } from 'hono';
import type { CliEnvironment } from '#cli/environment.ts';
import { runCli } from '#cli/run-cli.ts';

const startMs = Date.UTC(2026, 0, 2, 3, 4, 5);

/** An instant, in seconds from now, as the API writes it. */
export const at = (seconds: number) => new Date(startMs + seconds * 1_000).toISOString();

interface Recorded {
  readonly method: string;
  readonly url: string;
  readonly headers: Headers;
  readonly body: string;
}

/** For `readFile` and `stdin`. */
export const bytesOf = (text: string) => async () => new TextEncoder().encode(text);

/** @param changes what is otherwise in this world */
export function scenario(changes: Partial<CliEnvironment> = {}) {
  /** This app answers on every host that the command line calls. */
  const app = new Hono();
  const requests: Recorded[] = [];
  const sleeps: number[] = [];
  const out = { stdout: '', stderr: '' };
  let nowMs = startMs;
  const world: CliEnvironment = {
    env: {},
    stdout: (text) => {
      out.stdout += text;
    },
    stderr: (text) => {
      out.stderr += text;
    },
    stdin: () => Promise.reject(new Error('nothing is piped in')),
    readFile: (path) => Promise.reject(new Error(`ENOENT: no such file '${path}'`)),
    fetch: async (url, init) => {
      const request = new Request(url, init);
      const body = await request.clone().text();
      requests.push({ method: request.method, url, headers: request.headers, body });
      return app.fetch(request);
    },
    terminal: () => null,
    sleep: async (ms) => {
      sleeps.push(ms);
      nowMs += ms;
    },
    random: () => 0.5,
    version: '1.2.3',
    now: () => nowMs,
    aws: () => Promise.reject(new Error('AWS is not asked in this test')),
    data: () => Promise.reject(new Error('No data are touched in this test')),
    start: () => Promise.reject(new Error('Reeve is not started in this test')),
    prove: () => Promise.reject(new Error('Nothing is proven in this test')),
    dev: () => Promise.reject(new Error('Reeve is not started in this test')),
    ...changes,
  };
  return {
    app,
    requests,
    sleeps,
    world,
    /** Runs a command, its words separated by spaces. */
    run: async (line: string) => {
      out.stdout = '';
      out.stderr = '';
      const exitCode = await runCli(line.split(' ').filter(Boolean), world);
      return { exitCode, ...out };
    },
  };
}

export const terminal = { terminal: () => ({ columns: 100, rows: 40 }) };

/** A fetch that finds no server, as Node reports it. */
export const nobodyThere: CliEnvironment['fetch'] = () =>
  Promise.reject(
    new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED 127.0.0.1:4400') }),
  );

export function problem(status: number, code: string, more: object = {}): Response {
  const document = {
    type: `urn:reeve:problem:${code}`,
    title: 'It is refused',
    status,
    detail: 'There is a reason.',
    code,
    ...more,
  };
  return Response.json(document, {
    status,
    headers: { 'content-type': 'application/problem+json' },
  });
}

export const declined = {
  code: 'declined',
  message: 'the card was declined',
  effect: 'none',
} as const;

export function step(state: string, more: object = {}) {
  return {
    state,
    agent: 'payment',
    attempt: 1,
    failures: 0,
    inDoubt: false,
    completeBy: null,
    output: null,
    fault: null,
    ...more,
  };
}

/** An order of two steps, just submitted. */
export function order(more: object = {}) {
  return {
    orderId: 'o-1',
    workflow: 'order-fulfilment',
    workflowVersion: 1,
    processState: 'Pending',
    direction: 'forward',
    fault: null,
    priority: 'normal',
    tenant: null,
    correlationId: null,
    revision: 1,
    actions: {
      resubmit: 'not-in-error',
      correct: 'not-in-error',
      cancel: null,
      reprioritise: null,
    },
    submittedAt: at(-2),
    updatedAt: at(-2),
    lockedBy: null,
    completeBy: null,
    failureCount: 0,
    replyTo: null,
    notBefore: at(-2),
    steps: { reserve: step('NotStarted', { attempt: 0 }), charge: step('NotStarted') },
    history: [{ at: at(-2), type: 'submit' }],
    details: { customer: 'ada' },
    ...more,
  };
}

export const inError = {
  processState: 'Error',
  revision: 4,
  fault: { ...declined, step: 'charge', action: 'perform' },
  actions: { resubmit: null, correct: null, cancel: null, reprioritise: null },
  steps: { reserve: step('Completed'), charge: step('Failed', { fault: declined }) },
} as const;

export const processed = {
  processState: 'Processed',
  revision: 4,
  steps: { reserve: step('Completed'), charge: step('Completed') },
} as const;

/** The responses to GET of an order, one after the other; the last is repeated. */
export function looks(app: Hono, ...answers: readonly (() => Response)[]): void {
  let count = 0;
  app.get('/orders/o-1', () => {
    const answer = answers[Math.min(count, answers.length - 1)];
    count += 1;
    return answer?.() ?? problem(500, 'internal');
  });
}

export const look =
  (more: object = {}) =>
  () =>
    Response.json(order(more));
