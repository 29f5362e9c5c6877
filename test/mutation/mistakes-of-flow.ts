/** Mistakes in what the functions of a deployment share: circuits, held orders, the load of queues, admission. */
import type { Mistake } from './mistakes.ts';

const flow = 'test/aws/dynamo-flow.test.ts';
const backlog = 'test/aws/request-backlog.test.ts';
const admission = 'test/distributed/shared-admission.test.ts';
const circuits = 'lib/aws/store/dynamo-circuits.ts';
const ejections = 'lib/aws/store/dynamo-ejections.ts';
const held = 'lib/aws/store/dynamo-held-steps.ts';
const heldKey = 'lib/aws/store/held-key.ts';
const sharedAdmission = 'lib/distributed/shared-admission.ts';

export const mistakesOfFlow: readonly Mistake[] = [
  {
    name: 'a circuit of an older epoch replaces a newer one',
    file: circuits,
    text: 'OR #Epoch = :after',
    instead: 'OR #Epoch >= :after',
    test: flow,
  },
  {
    name: 'a circuit that lost to another instance counts as stored',
    file: circuits,
    text: 'return answer !== null;',
    instead: 'return true;',
    test: flow,
  },
  {
    name: 'the end of a probe is not stored',
    file: circuits,
    text: "ProbeUntil: 'probeUntil' in circuit ? circuit.probeUntil : null",
    instead: 'ProbeUntil: null',
    test: flow,
  },
  {
    name: 'an unknown rate is stored as a known one',
    file: circuits,
    text: "goodRate.isKnown ? 'known' : 'unknown'",
    instead: "'known'",
    test: flow,
  },
  {
    name: 'the next tenant is one that had its turn',
    file: held,
    text: 'HeldTurn > :after',
    instead: 'HeldTurn < :after',
    test: flow,
  },
  {
    name: 'the same tenant has every turn',
    file: heldKey,
    text: "const afterAll = '~';",
    instead: "const afterAll = '!';",
    test: flow,
  },
  {
    name: 'held orders of all classes wait in one',
    file: heldKey,
    text: 'HeldFor: heldFor(agent, priority)',
    instead: "HeldFor: heldFor(agent, 'normal')",
    test: flow,
  },
  {
    name: 'of the orders that wait, only the first page is counted',
    file: held,
    text: 'start = page.LastEvaluatedKey;',
    instead: 'start = undefined;',
    test: flow,
  },
  {
    name: 'the orders that came since the last count are counted as the others',
    file: held,
    text: 'if (sinceOfTurn(key) <= from) own.early += 1;',
    instead: 'own.early += 1;',
    test: flow,
  },
  {
    name: 'a backlog has the time of no report',
    file: 'lib/aws/store/dynamo-backlog-report.ts',
    text: "':at': at",
    instead: "':at': 0",
    test: flow,
  },
  {
    name: 'requests in flight are not read',
    file: 'lib/aws/queues/request-backlog.ts',
    text: "'ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'",
    instead: "'ApproximateNumberOfMessages'",
    test: backlog,
  },
  {
    name: 'of the queues of an agent, one counts',
    file: 'lib/aws/queues/request-backlog.ts',
    text: 'inFlight: backlogs.reduce((sum, { inFlight }) => sum + inFlight, 0)',
    instead: 'inFlight: backlogs[0]?.inFlight ?? 0',
    test: backlog,
  },
  {
    name: 'the front door refuses by a report of a Supervisor that stopped',
    file: sharedAdmission,
    text: 'return nowMs - backlog.at > validMs ? null : backlog;',
    instead: 'return backlog;',
    test: admission,
  },
  {
    name: 'orders that an older report did not count are counted twice',
    file: sharedAdmission,
    text: 'if (latest?.at !== backlog?.at) accepted.clear();',
    instead: '',
    test: admission,
  },
  {
    name: 'refused orders count as accepted ones',
    file: sharedAdmission,
    text: 'if (refusal === null) accepted.add(own);',
    instead: 'accepted.add(own);',
    test: admission,
  },
  {
    name: 'a report that cannot be read refuses orders',
    file: sharedAdmission,
    text: "log.warn('backlog-unknown', { error: errorKind(error) });",
    instead: 'throw error;',
    test: admission,
  },
  {
    name: 'an order that waits keeps its former priority',
    file: 'lib/in-process/waiting-steps.ts',
    text: 'if (waiting.has(step)) waiting.add(step, message, message);',
    instead: '',
    test: 'test/in-process/agent-gate.test.ts',
  },
  {
    name: 'an attempt waits until the circuit is closed, instead of being given back',
    file: 'lib/roles/agent/agent-runner.ts',
    text: "if (gate === 'limit' && ports.clock.now()",
    instead: 'if (ports.clock.now()',
    test: 'test/roles/agent-runner.test.ts',
  },
  {
    name: 'an ejection replaces one that still lasts',
    file: ejections,
    text: 'OR NOT #until BETWEEN :now AND :latest',
    instead: 'OR #until BETWEEN :now AND :latest',
    test: 'test/aws/dynamo-flow.test.ts',
  },
  {
    name: 'an ejection that a clock far ahead wrote lasts for ever',
    file: ejections,
    text: "':latest': nowMs + ejectionMaxMs",
    instead: "':latest': Number.MAX_SAFE_INTEGER",
    test: 'test/aws/dynamo-flow.test.ts',
  },
  {
    name: 'an instance reads the ejections of others after every failed call',
    file: 'lib/distributed/shared-ejections.ts',
    text: 'readAt = nowMs;',
    instead: '',
    test: 'test/distributed/shared-ejections.test.ts',
  },
  {
    name: 'ejections of others are adopted beyond half of the weight',
    file: 'lib/core/flow/endpoint-pool.ts',
    text: 'if (isNow && mayEject(member, nowMs)) eject(member, ejection);',
    instead: 'if (isNow) eject(member, ejection);',
    test: 'test/core/endpoint-pool.test.ts',
  },
  {
    name: 'a call that fails fast counts with the time that it took',
    file: 'lib/core/flow/endpoint-pool.ts',
    text: 'observe(member, Math.max(deadlineMs, endMs - began.at), endMs);',
    instead: 'observe(member, endMs - began.at, endMs);',
    test: 'test/core/endpoint-pool.test.ts',
  },
  {
    name: 'a finished shard keeps its outages',
    file: 'lib/aws/store/dynamo-coordination.ts',
    text: 'REMOVE Holder, HeldUntil, AliveAt, Gaps, RampAt',
    instead: 'REMOVE Holder, HeldUntil, AliveAt',
    test: 'test/aws/dynamo-coordination.test.ts',
  },
  {
    name: 'the next holder of a finished shard does not learn when it was reached',
    file: 'lib/aws/store/shard-memory-item.ts',
    text: "numberOf(item, 'FinishedAt')",
    instead: 'null',
    test: 'test/aws/dynamo-coordination.test.ts',
  },
  {
    name: 'a slow tick that reached every shard is forgotten',
    file: 'lib/aws/store/dynamo-coordination.ts',
    text: "UpdateExpression: 'SET ReachedAt = :reached',",
    instead: "UpdateExpression: 'SET Spare = :reached',",
    test: 'test/aws/dynamo-coordination.test.ts',
  },
  {
    name: 'an endpoint that fails and may not be ejected raises no alarm',
    file: 'lambdas/agent-handler.ts',
    text: 'log: metered(log, publish)',
    instead: 'log',
    test: 'test/lambdas/agent-endpoints.test.ts',
  },
  {
    name: 'an endpoint that is ejected raises the alarm on its service',
    file: 'lambdas/metered.ts',
    text: "if (event === 'held-for-long') publish({ HeldAge: heldSeconds(fields) });",
    instead: 'publish({ AgentsUnavailable: 1 });',
    test: 'test/lambdas/agent-endpoints.test.ts',
  },
  {
    name: 'every error raises the alarm on the service of an agent',
    file: 'lambdas/metered.ts',
    text: "if (event === 'endpoint-not-ejected') publish",
    instead: 'publish',
    test: 'test/lambdas/metered.test.ts',
  },
];
