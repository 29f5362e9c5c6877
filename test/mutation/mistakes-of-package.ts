/** Mistakes in what users of the package have: handles of orders, the client, and the build. */
import type { Mistake } from './mistake.ts';

const orders = 'test/runtime/local-order.test.ts';
const client = 'test/client/reeve-client.test.ts';
const specifiers = 'test/packaging/import-specifiers.test.ts';

export const mistakesOfPackage: readonly Mistake[] = [
  {
    name: 'who waits for one order gets the changes of all',
    file: 'lib/runtime/local/order-changes.ts',
    text: 'for (const each of waiters.get(record.orderId) ?? []) {',
    instead: 'for (const each of [...waiters.values()].flatMap((set) => [...set])) {',
    test: orders,
  },
  {
    name: 'the second one who waits for an order takes the place of the first',
    file: 'lib/runtime/local/order-changes.ts',
    text: 'waiters.set(orderId, (waiters.get(orderId) ?? new Set()).add(waiter));',
    instead: 'waiters.set(orderId, new Set<Waiter>().add(waiter));',
    test: orders,
  },
  {
    name: 'a close leaves those who wait for an order without an answer',
    file: 'lib/runtime/local/order-changes.ts',
    text: 'for (const each of [...waiters.values()].flatMap((set) => [...set])) each.wake();',
    instead: '',
    test: orders,
  },
  {
    name: 'the signal of a wait for an order does not end it',
    file: 'lib/runtime/local/order-changes.ts',
    text: "signal?.addEventListener('abort', abort);",
    instead: '',
    test: orders,
  },
  {
    name: 'an order in Error is waited for',
    file: 'lib/runtime/local/local-order.ts',
    text: "    case 'Processing':\n      return null;\n    case 'Undone':\n    case 'Error':",
    instead: "    case 'Processing':\n    case 'Error':\n      return null;\n    case 'Undone':",
    test: orders,
  },
  {
    name: 'an order of another version has the types of this one',
    file: 'lib/runtime/local/local-order.ts',
    text: 'record.workflowVersion === version &&\n    record.fingerprint === fingerprint',
    instead: 'record.fingerprint !== undefined && version > 0 && fingerprint.length > 0',
    test: orders,
  },
  {
    name: 'each try of a submission has a key of its own',
    file: 'lib/client/requests.ts',
    text: '...headers',
    instead: "...headers, ...(body !== undefined && { 'idempotency-key': crypto.randomUUID() })",
    test: client,
  },
  {
    name: 'a change by an operator is sent again after its answer was lost',
    file: 'lib/client/requests.ts',
    text: 'isForNow: request.isRepeatable };',
    instead: 'isForNow: true };',
    test: client,
  },
  {
    name: 'a request is sent again after the time for it',
    file: 'lib/client/requests.ts',
    text: 'return performance.now() < endsAt;',
    instead: 'return true;',
    test: client,
  },
  {
    name: 'an order that was accepted is sent again with those that were not',
    file: 'lib/client/batches.ts',
    text: 'waiting.delete(order);',
    instead: '',
    test: 'test/client/submit-many.test.ts',
  },
  {
    name: 'an order of a bulk submission does not wait for the one before it with the same key',
    file: 'lib/roles/submission/submission-batch.ts',
    text: 'for (const name of names) latest.set(name, outcome);',
    instead: '',
    test: 'test/roles/submission-batch.test.ts',
  },
  {
    name: 'the token of the client is asked for once',
    file: 'lib/client/requests.ts',
    text: "typeof token === 'function' ? await Promise.race([asked(token), limit.passed]) : token;",
    instead: "typeof token === 'function' ? 't1' : token;",
    test: client,
  },
  {
    name: 'a request of the client may last longer than what is left of the time for it',
    file: 'lib/client/requests.ts',
    text: 'Math.min(requestMs, Math.max(0, endsAt - performance.now()))',
    instead: 'requestMs',
    test: client,
  },
  {
    name: 'the close of Reeve leaves the calls of agents in flight',
    file: 'lib/roles/agent/agent-runner.ts',
    text: 'deadlines.stop();',
    instead: '',
    test: 'test/roles/closed-agent.test.ts',
  },
  {
    name: 'a call that the close has ended counts as a failure of its service',
    file: 'lib/roles/agent/agent-runner.ts',
    text: 'if (service.isClosed()) return undefined;',
    instead: '',
    test: 'test/roles/closed-agent.test.ts',
  },
  {
    name: 'an API that other machines reach takes every request for that of an operator',
    file: 'lib/runtime/local/http-server.ts',
    text: 'if (identify === undefined && !isLoopback(host)) throw identifyMissing(host);',
    instead: '',
    test: 'test/runtime/http-server.test.ts',
  },
  {
    name: 'imports by alias are left in the package',
    file: 'lib/packaging/import-specifiers.ts',
    text: 'if (!specifier.startsWith(before) || !specifier.endsWith(after)) continue;',
    instead: 'if (specifier.startsWith(before) || !specifier.endsWith(after)) continue;',
    test: specifiers,
  },
  {
    name: 'a copied package lacks its default export',
    file: 'lib/packaging/import-specifiers.ts',
    text: "if (byDefault !== undefined) names.add('default');",
    instead: '',
    test: specifiers,
  },
  {
    name: 'a licence that is not permissive is copied',
    file: 'lib/packaging/notices.ts',
    text: 'if (!permissive.has(license)) throw',
    instead: 'if (permissive.size === 0) throw',
    test: 'test/packaging/notices.test.ts',
  },
];
