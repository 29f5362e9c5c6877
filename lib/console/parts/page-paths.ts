/** Routes: the part of the address after `#`, so that they cannot collide with the paths of the API. */

export interface OrderQuery {
  readonly state: string;
  readonly workflow: string;
  readonly tenant: string;
  readonly agent: string;
  readonly step: string;
  /** The code of the order's fault. */
  readonly fault: string;
  readonly correlationId: string;
  /** `true`: with a step that waits for its agent, or for earlier orders; empty: any. */
  readonly held: string;
  /** Changed within this duration: `15m`, `1h`, `1d`, `7d`; empty: any. */
  readonly within: string;
}

export const emptyQuery: OrderQuery = {
  state: '',
  workflow: '',
  tenant: '',
  agent: '',
  step: '',
  fault: '',
  correlationId: '',
  held: '',
  within: '',
};

export type Route =
  | { readonly page: 'now' | 'agents' | 'workflows' }
  | { readonly page: 'orders'; readonly query: OrderQuery }
  | { readonly page: 'order'; readonly orderId: string }
  | { readonly page: 'unknown'; readonly hash: string };

export function routeOf(hash: string): Route {
  const [path = '', search = ''] = hash.replace(/^#/, '').split('?');
  const [, page = '', id = '', ...rest] = path.split('/');
  if (rest.length > 0) return { page: 'unknown', hash };
  switch (page) {
    case '':
      return { page: 'now' };
    case 'agents':
    case 'workflows':
      return { page };
    case 'orders':
      if (id !== '') return { page: 'order', orderId: decoded(id) };
      return { page: 'orders', query: orderQueryOf(new URLSearchParams(search)) };
    default:
      return { page: 'unknown', hash };
  }
}

function orderQueryOf(search: URLSearchParams): OrderQuery {
  const value = (name: string) => search.get(name) ?? '';
  return {
    state: value('state'),
    workflow: value('workflow'),
    tenant: value('tenant'),
    agent: value('agent'),
    step: value('step'),
    fault: value('fault'),
    correlationId: value('correlationId'),
    held: value('held') === 'true' ? 'true' : '',
    within: lengths.has(value('within')) ? value('within') : '',
  };
}

export function ordersHash(query: Partial<OrderQuery>): string {
  const search = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== ''));
  return search.size === 0 ? '#/orders' : `#/orders?${search}`;
}

export const orderHash = (orderId: string) => `#/orders/${encodeURIComponent(orderId)}`;

const lengths: ReadonlyMap<string, number> = new Map([
  ['15m', 15 * 60_000],
  ['1h', 3_600_000],
  ['1d', 86_400_000],
  ['7d', 7 * 86_400_000],
]);

/** The names are those of the API. */
const parameters = [
  ...(['state', 'workflow', 'tenant', 'agent'] as const),
  ...(['step', 'fault', 'correlationId', 'held'] as const),
];

/** The listing of the API for it; `limit`: orders of one page. */
export function listingPath(
  query: OrderQuery,
  nowMs: number,
  cursor: string | null,
  limit = 50,
): string {
  const search = new URLSearchParams({ limit: String(limit) });
  for (const name of parameters) {
    if (query[name] !== '') search.set(name, query[name]);
  }
  const length = lengths.get(query.within);
  // To the minute, so that a repeated request is the same, and can be answered with 304.
  if (length !== undefined) {
    const since = Math.floor((nowMs - length) / 60_000) * 60_000;
    search.set('since', new Date(since).toISOString());
  }
  if (cursor !== null) search.set('cursor', cursor);
  return `/orders?${search}`;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
