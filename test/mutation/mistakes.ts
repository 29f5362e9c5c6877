/**
 * Mistakes that tests once missed, and published bugs of comparable systems, with the test file that each must fail.
 */

import { mistakesOfAlarms } from './aws/mistakes-of-alarms.ts';
import { mistakesOfErrors } from './aws/mistakes-of-errors.ts';
import { mistakesOfExactTables } from './aws/mistakes-of-exact-tables.ts';
import { mistakesOfFunctions } from './aws/mistakes-of-functions.ts';
import { mistakesOfRegions } from './aws/mistakes-of-regions.ts';
import { mistakesOfSharedState } from './aws/mistakes-of-shared-state.ts';
import { mistakesOfTemplate } from './aws/mistakes-of-template.ts';
import type { Mistake } from './mistake.ts';
import { mistakesOfChangedLimits } from './mistakes-of-changed-limits.ts';
import { mistakesOfConsole } from './mistakes-of-console.ts';
import { mistakesOfCorrections } from './mistakes-of-corrections.ts';
import { mistakesOfDamagedData } from './mistakes-of-damaged-data.ts';
import { mistakesOfDebounce } from './mistakes-of-debounce.ts';
import { mistakesOfDeployment } from './mistakes-of-deployment.ts';
import { mistakesOfEdges } from './mistakes-of-edges.ts';
import { mistakesOfEmbeddedData } from './mistakes-of-embedded-data.ts';
import { mistakesOfFlow } from './mistakes-of-flow.ts';
import { mistakesOfGates } from './mistakes-of-gates.ts';
import { mistakesOfInstances } from './mistakes-of-instances.ts';
import { mistakesOfLeases } from './mistakes-of-leases.ts';
import { mistakesOfLimitItems } from './mistakes-of-limit-items.ts';
import { mistakesOfLimits } from './mistakes-of-limits.ts';
import { mistakesOfLongLife } from './mistakes-of-long-life.ts';
import { mistakesOfLongWaits } from './mistakes-of-long-waits.ts';
import { mistakesOfMarks } from './mistakes-of-marks.ts';
import { mistakesOfOddValues } from './mistakes-of-odd-values.ts';
import { mistakesOfOneItem } from './mistakes-of-one-item.ts';
import { mistakesOfPackage } from './mistakes-of-package.ts';
import { mistakesOfProcessTimer } from './mistakes-of-process-timer.ts';
import { mistakesOfProcesses } from './mistakes-of-processes.ts';
import { mistakesOfReplyDelays } from './mistakes-of-reply-delays.ts';
import { mistakesOfSharedDocuments } from './mistakes-of-shared-documents.ts';
import { mistakesOfSharedLimits } from './mistakes-of-shared-limits.ts';
import { mistakesOfTools } from './mistakes-of-tools.ts';
import { mistakesOfAnswers } from './users/mistakes-of-answers.ts';
import { mistakesOfApi } from './users/mistakes-of-api.ts';
import { mistakesOfClient } from './users/mistakes-of-client.ts';
import { mistakesOfCommands } from './users/mistakes-of-commands.ts';
import { mistakesOfKit } from './users/mistakes-of-kit.ts';
import { mistakesOfPages } from './users/mistakes-of-pages.ts';
import { mistakesOfParameters } from './users/mistakes-of-parameters.ts';
import { mistakesOfPrograms } from './users/mistakes-of-programs.ts';
import { mistakesOfStarts } from './users/mistakes-of-starts.ts';

const requests = 'test/aws/dynamo-requests.test.ts';
const crossedPages = 'test/embedded/crossed-pages.test.ts';
const damage = 'test/embedded/damage.test.ts';

export const mistakes: readonly Mistake[] = [
  {
    name: 'an order in Error expires',
    file: 'lib/aws/store/record-item.ts',
    text: "const ended = processState === 'Processed' || processState === 'Undone';",
    instead: "const ended = processState !== 'Pending' && processState !== 'Processing';",
    test: requests,
  },
  {
    name: 'the stream goes on from the last record that is not settled, not from the first',
    file: 'lib/aws/notifications/stream-batch.ts',
    text: 'const readable = Math.min(records.length, ...unsettled);',
    instead: 'const readable = unsettled.length === 0 ? records.length : Math.max(...unsettled);',
    test: 'test/aws/stream-batch.test.ts',
  },
  {
    name: 'a batch is settled up to the last change that is not, not up to the first',
    file: 'lib/roles/notifier.ts',
    text: 'const settled = Math.min(changes.length, ...(await deliverOrKeep(ports, responses)));',
    instead:
      'const open = await deliverOrKeep(ports, responses);\n      const settled = open.length === 0 ? changes.length : Math.max(...open);',
    test: 'test/roles/notifier.test.ts',
  },
  {
    name: 'keys that DynamoDB left unread are never read again',
    file: 'lib/aws/store/batch-get.ts',
    text: 'left = answer.UnprocessedKeys?.[table];',
    instead: 'left = undefined;',
    test: requests,
  },
  {
    name: 'records are read eventually',
    file: 'lib/aws/store/dynamo-reads.ts',
    text: 'return byKey(options, options.tables.processes, ids, true);',
    instead: 'return byKey(options, options.tables.processes, ids, false);',
    test: requests,
  },
  {
    name: 'an event is dropped because an eventual read does not show yet what it is for',
    file: 'lib/roles/transitions/order-events.ts',
    text: 'outcomes.some(isUnwritten) && !outcomes.some(isCommitted)',
    instead: 'outcomes.some(isUnwritten) && outcomes.some(isCommitted)',
    test: 'test/roles/stale-reads.test.ts',
  },
  {
    name: 'an event that an eventual read does not explain is decided on another one',
    file: 'lib/roles/transitions/order-events.ts',
    text: '? decideFirst(ports, events, undefined, null, toSend)',
    instead: '? decideFirst(ports, events, undefined, batch, toSend)',
    test: 'test/roles/stale-reads.test.ts',
  },
  {
    name: 'all but one failed message of a batch are acknowledged',
    file: 'lib/aws/queues/queue-batch.ts',
    text: 'batchItemFailures: again.map(',
    instead: 'batchItemFailures: again.slice(0, 1).map(',
    test: 'test/aws/queue-batch.test.ts',
  },
  {
    name: 'all but one failed message of a FIFO batch are acknowledged',
    file: 'lib/aws/queues/fifo-batch.ts',
    text: 'batchItemFailures: again.map(',
    instead: 'batchItemFailures: again.slice(0, 1).map(',
    test: 'test/aws/fifo-batch.test.ts',
  },
  {
    name: 'what a FIFO queue gives back is not hidden',
    file: 'lib/aws/queues/fifo-batch.ts',
    text: 'rest.map((record) => ({ record, seconds }))',
    instead: 'rest.map((record) => ({ record, seconds: seconds * 0 }))',
    test: 'test/aws/fifo-batch.test.ts',
  },
  {
    name: 'a commit that meets a transaction is not made again',
    file: 'lib/aws/store/dynamo-store.ts',
    text: 'if (error instanceof TransactionConflictException) return true;',
    instead: '',
    test: requests,
  },
  {
    name: 'a creation that meets a transaction is not made again',
    file: 'lib/aws/store/dynamo-store.ts',
    text: "Code === 'TransactionConflict'",
    instead: "Code === 'ItemCollectionSizeLimitExceeded'",
    test: requests,
  },
  {
    name: 'details are kept when their record expires: the stream forgets nothing',
    file: 'lambdas/notifier.ts',
    text: 'forget: (removed) => forgetOrders(forgetting, removed)',
    instead: 'forget: async () => {}',
    test: 'test/lambdas/notifier.test.ts',
  },
  {
    name: 'details are kept when their record expires: nothing is deleted',
    file: 'lib/aws/store/forget-orders.ts',
    text: 'order])).values()];',
    instead: 'order])).values()].slice(1);',
    test: 'test/lambdas/notifier.test.ts',
  },
  {
    name: 'the removal of a record deletes the details of a later order with its id',
    file: 'lib/aws/store/forget-orders.ts',
    text: "ConditionExpression: 'SubmittedAt = :submitted'",
    instead: "ConditionExpression: 'SubmittedAt >= :submitted'",
    test: 'test/aws/forget-orders.test.ts',
  },
  {
    name: 'the removal of a record takes a later order with its id out of its line',
    file: 'lib/aws/store/forget-orders.ts',
    text: 'attribute_not_exists(OrderID) OR SubmittedAt = :submitted',
    instead: 'attribute_not_exists(OrderID) OR SubmittedAt >= :submitted',
    test: 'test/aws/forget-orders.test.ts',
  },
  {
    name: 'a page of a listing ends before all orders of its last millisecond are read',
    file: 'lib/aws/store/dynamo-listing.ts',
    text: '(known.at(-1)?.submittedAt ?? 0) < (known[',
    instead: '(known.at(-1)?.submittedAt ?? 0) <= (known[',
    test: 'test/aws/listing-requests.test.ts',
  },
  {
    name: 'a cursor has the instant of the last order',
    file: 'lib/aws/store/listing-order.ts',
    text: 'at: next.submittedAt + Math.floor(apartMs / 2)',
    instead: 'at: last.submittedAt - 1',
    test: 'test/aws/listing-pages.test.ts',
  },
  {
    name: 'what is answered is not synced to disk',
    file: 'lib/embedded/open-database.ts',
    text: 'PRAGMA synchronous = FULL;',
    instead: 'PRAGMA synchronous = OFF;',
    test: damage,
  },
  {
    name: 'changes of a damaged table are read again and again',
    file: 'lib/embedded/tables/change-numbers.ts',
    text: 'assertOnward((found.at(-1) ?? Number.POSITIVE_INFINITY) > after);',
    instead: '',
    test: crossedPages,
  },
  {
    name: 'orders of a damaged table are verified again and again',
    file: 'lib/embedded/integrity/verify.ts',
    text: 'assertOnward((seqs.at(-1) ?? Number.POSITIVE_INFINITY) > checkedTo);',
    instead: '',
    test: crossedPages,
  },
  {
    name: 'an order that was submitted long ago is forgotten as soon as it ends',
    file: 'lib/embedded/forget.ts',
    text: "UpdatedAt < before && (ProcessState === 'Processed' || ProcessState === 'Undone')",
    instead: "UpdatedAt < Infinity && (ProcessState === 'Processed' || ProcessState === 'Undone')",
    test: damage,
  },
  {
    name: 'an order that has ended is read as alive from the cache',
    file: 'lib/embedded/record-cache.ts',
    text: 'young.delete(orderId);\n      old.delete(orderId);\n      return;',
    instead: 'return;',
    test: damage,
  },
  {
    name: 'the older generation of the cache is read before the younger',
    file: 'lib/embedded/record-cache.ts',
    text: 'young.get(orderId) ?? old.get(orderId)',
    instead: 'old.get(orderId) ?? young.get(orderId)',
    test: damage,
  },
  {
    name: 'a new tenant starts at the tag of the flow in service, so that new ones starve the others (trigger.dev #4367)',
    file: 'lib/core/flow/flow-scheduler.ts',
    text: 'flow.start = virtualTime();',
    instead: 'flow.start = active.first()?.start ?? 0;',
    test: 'test/core/fair-shares.test.ts',
  },
  {
    name: 'virtual time winds up: a served item counts twice (kubernetes #95986)',
    file: 'lib/core/flow/flow-scheduler.ts',
    text: 'weightedStarts += 1;',
    instead: 'weightedStarts += 2;',
    test: 'test/core/fair-shares.test.ts',
  },
  {
    name: 'the tenant * is every tenant (trigger.dev #4628)',
    file: 'lib/core/flow/fair-queue.ts',
    text: 'const own = of.tenants.get(tenant) ??',
    instead: "const own = of.tenants.get(tenant === '*' ? null : tenant) ??",
    test: 'test/core/fair-queue-model.test.ts',
  },
  {
    name: 'alerts are sent past one that was neither delivered nor kept, so that the stream repeats them',
    file: 'lib/roles/notifier.ts',
    text: 'if (failed.length === 0) continue;',
    instead:
      'if (failed.length === 0 || (await keep(ports, failed)).length === 0) continue;\n    for (const more of alerts.slice(at + 1)) await failures(ports, [more]);\n    return alert.place;',
    test: 'test/roles/notifier.test.ts',
  },
  {
    name: 'the end of a call from an earlier epoch closes a newer circuit (jac #8064)',
    file: 'lib/core/flow/circuit.ts',
    text: 'if (call.epoch !== circuit.epoch) return circuit;',
    instead: '',
    test: 'test/core/circuit.test.ts',
  },
  {
    name: 'a half-open circuit lets every call through (safe-client-gateway #3442)',
    file: 'lib/core/flow/circuit.ts',
    text: 'return circuit.probe === step;',
    instead: 'return true;',
    test: 'test/core/circuit.test.ts',
  },
  {
    name: 'a circuit stays half-open when its probe ends without a call (erpc #1118)',
    file: 'lib/core/flow/circuit.ts',
    text: "if (circuit.state !== 'half-open' || circuit.probe !== step) return circuit;",
    instead:
      "return circuit;\n  if (circuit.state !== 'half-open' || circuit.probe !== step) return circuit;",
    test: 'test/core/circuit.test.ts',
  },
  {
    name: 'the recovery is limited to a rate that was hardly measured',
    file: 'lib/core/flow/recent-calls.ts',
    text: 'seconds >= rateSecondsMin',
    instead: 'seconds >= 0',
    test: 'test/runtime/outage.test.ts',
  },
  {
    name: 'one failing order opens the circuit for all',
    file: 'lib/core/flow/recent-calls.ts',
    text: 'isOfSeveral && failed > failuresMin && failed >= answered',
    instead: 'failed > failuresMin && failed >= answered',
    test: 'test/core/circuit.test.ts',
  },
  {
    name: 'an attempt that ends keeps its slot (kestra #14356, Prefect #17415, Hatchet #4804)',
    file: 'lib/in-process/agent-gate.ts',
    text: 'queue.end(request);\n      free([request], circuit.ended);',
    instead: 'queue.end(request);',
    test: 'test/in-process/agent-gate.test.ts',
  },
  {
    name: 'an agent admits its calls once and then none (Hatchet #4346)',
    file: 'lib/in-process/begin-queue.ts',
    text: 'next()?.begin();',
    instead: '',
    test: 'test/in-process/agent-gate.test.ts',
  },
  {
    name: 'an order that was cancelled keeps the slot that was reserved for it',
    file: 'lib/in-process/waiting-steps.ts',
    text: 'const turn = reserved.takeBack(step);',
    instead: 'const turn: Nudge | undefined = undefined;',
    test: 'test/in-process/agent-gate.test.ts',
  },
  {
    name: 'a probe that failed is the next probe again',
    file: 'lib/in-process/waiting-steps.ts',
    text: 'if (isDelayed) probed.add(',
    instead: 'if (isDelayed && since < 0) probed.add(',
    test: 'test/in-process/agent-gate.test.ts',
  },
  {
    name: 'the embedded store keeps the former priority of an order',
    file: 'lib/embedded/tables/record-writes.ts',
    text: 'columns.map((name) =>',
    instead: "columns.map((name) => name === 'Priority' ? 'Priority = coalesce(Priority, ?)' :",
    test: 'test/embedded/sqlite-store.test.ts',
  },
  {
    name: 'a step that waits for a slot stays in its former class',
    file: 'lib/in-process/waiting-steps.ts',
    text: 'if (waiting.has(step)) waiting.add(step, message, message);',
    instead: '',
    test: 'test/in-process/agent-gate.test.ts',
  },
  {
    name: 'a nudge stays in the former class of its order',
    file: 'lib/in-process/channels/message-queue.ts',
    text: 'shared.add(keyOf?.(message) ?? added, message, flowOf(message));',
    instead: 'shared.add(added, message, flowOf(message));',
    test: 'test/in-process/channels/message-queue.test.ts',
  },
  {
    name: 'a request that comes too late keeps its slot (Prefect #17415)',
    file: 'lib/roles/agent/agent-runner.ts',
    text: 'ports.breaker.end(request);\n    return done;',
    instead: 'return done;',
    test: 'test/roles/agent-runner.test.ts',
  },
  {
    name: 'the slots of a decision that a long hold ends are kept (kestra #14356)',
    file: 'lib/roles/transitions/write-decided.ts',
    text: 'gated.isAgain === true || commands !== all.commands',
    instead: 'commands !== all.commands',
    test: 'test/roles/gated-transitions.test.ts',
  },
  {
    name: 'the slots of requests that are sent in a short record are given back',
    file: 'lib/roles/transitions/write-decided.ts',
    text: 'withGranted(shortened, gated.granted)',
    instead: 'shortened',
    test: 'test/roles/gated-transitions.test.ts',
  },
  {
    name: 'a change of the process state shares its write with the replies after it',
    file: 'lib/roles/transitions/decide-together.ts',
    text: '!isReply(last.event) || !isSameState',
    instead: '!isReply(last.event)',
    test: 'test/roles/decide-together.test.ts',
  },
  {
    name: 'replies whose shared write is refused shorten the history of their order',
    file: 'lib/roles/transitions/write-decided.ts',
    text: "isSeveral ? { kind: 'refused' } : await",
    instead: 'await',
    test: 'test/roles/decide-together.test.ts',
  },
  {
    name: 'an earlier probe of a step is taken for the present one',
    file: 'lib/distributed/circuit-copy.ts',
    text: ' && stored.probeUntil === own.probeUntil',
    instead: '',
    test: 'test/distributed/shared-circuit-breaker.test.ts',
  },
  {
    name: 'a request that was delivered twice makes two probes',
    file: 'lib/in-process/circuit-breaker.ts',
    text: 'if (!mayCall(circuit, step) || probing === circuit.epoch) return null;',
    instead: 'if (!mayCall(circuit, step)) return null;',
    test: 'test/in-process/circuit-breaker.test.ts',
  },
  {
    name: 'a tick counts a shard as swept that it has only found',
    file: 'lib/roles/sweep-tick.ts',
    text: 'sweepFrom(memory.shards, inUse);',
    instead: 'sweepFrom(memory.shards, 0);',
    test: 'test/roles/raised-shards.test.ts',
  },
  {
    name: 'a timer counts failures after a pause of the process',
    file: 'lib/roles/supervisor.ts',
    text: '() => (isForSweeps() ? null : expired)',
    instead: '() => expired',
    test: 'test/roles/supervisor.test.ts',
  },
  {
    name: 'a shard that no tick has swept was in no outage',
    file: 'lib/roles/recovery/shard-memory.ts',
    text: 'swept > 0 && shard >= swept ? [{ from: neverReached, until: recalledAt }] : []',
    instead: '[]',
    test: 'test/roles/raised-shards.test.ts',
  },
  {
    name: 'deadline checks are left to sweeps while a shard is new',
    file: 'lib/roles/recovery/shard-memory.ts',
    text: 'outageAfterMs).some(({ from }) => from !== neverReached',
    instead: 'outageAfterMs).some(({ from }) => from >= neverReached',
    test: 'test/roles/raised-shards.test.ts',
  },
  {
    name: 'an outage belongs to the time before a shard was swept',
    file: 'lib/core/decide/sweep-gaps.ts',
    text: ' || from === neverReached',
    instead: '',
    test: 'test/roles/raised-shards.test.ts',
  },
  {
    name: 'an order that moved to another shard has no outage of its former one',
    file: 'lib/roles/recovery/shard-memory.ts',
    text: 'new Set([...memory.shardCounts, store.dueShards])',
    instead: 'new Set([store.dueShards])',
    test: 'test/roles/raised-shards.test.ts',
  },
  {
    name: 'an order has the outages of all shards',
    file: 'lib/roles/recovery/shard-memory.ts',
    text: '[...counts].flatMap((count) => of(store.dueShardOf(orderId, count)))',
    instead:
      '[...counts].flatMap((count) => [0, 1, 2, 3, 4].flatMap((other) => of(other % count)))',
    test: 'test/roles/raised-shards.test.ts',
  },
  {
    name: 'the numbers of shards are not stored',
    file: 'lib/aws/store/dynamo-coordination.ts',
    text: 'ShardCounts: counts }',
    instead: "ShardCounts: '[]' }",
    test: 'test/aws/dynamo-coordination.test.ts',
  },
  {
    name: 'a tick that finds the lease of a dead sweep forgets an outage',
    file: 'lib/roles/sweep-tick.ts',
    text: 'earlier(memory.reachedAt ?? memory.sweptAt, recalledAt)',
    instead: 'earlier(memory.reachedAt, recalledAt)',
    test: 'test/roles/sweep-tick.test.ts',
  },
  {
    name: 'a request passes by what was known before while the queues of its agent are read',
    file: 'lib/distributed/agent-load.ts',
    text: 'reading.isRunning() ||',
    instead: 'false ||',
    test: 'test/distributed/shared-gates.test.ts',
  },
  ...mistakesOfChangedLimits,
  ...mistakesOfConsole,
  ...mistakesOfCorrections,
  ...mistakesOfDamagedData,
  ...mistakesOfDebounce,
  ...mistakesOfAlarms,
  ...mistakesOfDeployment,
  ...mistakesOfErrors,
  ...mistakesOfExactTables,
  ...mistakesOfFunctions,
  ...mistakesOfSharedState,
  ...mistakesOfRegions,
  ...mistakesOfTemplate,
  ...mistakesOfEdges,
  ...mistakesOfEmbeddedData,
  ...mistakesOfFlow,
  ...mistakesOfGates,
  ...mistakesOfLeases,
  ...mistakesOfLimitItems,
  ...mistakesOfLimits,
  ...mistakesOfLongLife,
  ...mistakesOfLongWaits,
  ...mistakesOfMarks,
  ...mistakesOfOddValues,
  ...mistakesOfOneItem,
  ...mistakesOfPackage,
  ...mistakesOfInstances,
  ...mistakesOfReplyDelays,
  ...mistakesOfProcessTimer,
  ...mistakesOfProcesses,
  ...mistakesOfSharedDocuments,
  ...mistakesOfSharedLimits,
  ...mistakesOfTools,
  ...mistakesOfAnswers,
  ...mistakesOfApi,
  ...mistakesOfClient,
  ...mistakesOfCommands,
  ...mistakesOfPages,
  ...mistakesOfKit,
  ...mistakesOfParameters,
  ...mistakesOfPrograms,
  ...mistakesOfStarts,
];
