/** The table of docs/access.md: every route, and the outcome for each principal. */
import { readFileSync } from 'node:fs';
import * as z from 'zod';
import type { Role } from '#core/access/principal.ts';

const askers = [
  'no token',
  'viewer',
  'submitter',
  'operator',
  'operator of another tenant',
] as const;
type Asker = (typeof askers)[number];

/** The two tenants of these tests; the requested order belongs to the first. */
export const [ours, others] = ['inn', 'bar'] as const;

export const principals: readonly {
  readonly asker: Asker;
  readonly role: Role | null;
  readonly tenant: string | null;
}[] = [
  { asker: 'no token', role: null, tenant: null },
  { asker: 'viewer', role: 'viewer', tenant: null },
  { asker: 'submitter', role: 'submitter', tenant: null },
  { asker: 'operator', role: 'operator', tenant: null },
  { asker: 'operator of another tenant', role: 'operator', tenant: others },
];

const cell = z.enum(['yes', 'its own', '401', '403', '404']);
const rowSchema = z.object({
  /** As `GET /orders/{id}`. */
  route: z.string().regex(/^(GET|POST) \/\S+$/),
  'no token': cell,
  viewer: cell,
  submitter: cell,
  operator: cell,
  'operator of another tenant': cell,
  'on AWS': z.enum(['yes', 'no']),
});
export type AccessRow = z.infer<typeof rowSchema>;

export function accessTable(): readonly AccessRow[] {
  const lines = readFileSync('docs/access.md', 'utf8').split('\n');
  const at = lines.findIndex((line) => line.startsWith('| route |'));
  const cells = (line = '') =>
    line
      .split('|')
      .slice(1, -1)
      .map((text) => text.trim().replaceAll('`', ''));
  const names = cells(lines[at]);
  const end = lines.findIndex((line, index) => index > at && !line.startsWith('|'));
  return lines
    .slice(at + 2, end)
    .map((line) =>
      rowSchema.parse(Object.fromEntries(cells(line).map((text, n) => [names[n], text]))),
    );
}

/** Every cell, as a test case. */
export const cases = accessTable().flatMap((row) =>
  principals.map((principal) => ({ ...principal, row, expected: row[principal.asker] })),
);

/** A request of that route for that order. */
export function requestOf(
  { route }: AccessRow,
  orderId: string,
  workflow: string,
  details: object,
) {
  const [method = '', path = ''] = route.split(' ');
  const bodies: Readonly<Record<string, unknown>> = {
    'POST /orders': { workflow, details, tenant: ours },
    'POST /orders/batch': { orders: [{ workflow, details, tenant: ours }] },
    'POST /orders/{id}/reprioritise': { priority: 'low' },
    'POST /agents/{name}': { weight: null },
  };
  const sent = bodies[route];
  return {
    method,
    path: path.replace('{id}', orderId).replace('{name}', agentOf[workflow] ?? ''),
    body: sent === undefined ? null : JSON.stringify(sent),
  };
}

/** An agent of each workflow of these tests. */
const agentOf: Readonly<Record<string, string>> = { dinner: 'cook', 'order-fulfilment': 'payment' };

/** The word of the table for a status. */
export function wordOf(status: number, expected: z.infer<typeof cell>): string {
  if (status === 401 || status === 403 || status === 404) return String(status);
  return expected === 'its own' ? expected : 'yes';
}
