/**
 * Awaits of the roles at which no simulated process crashes, and why. All others must be struck before and after;
 * each of these must exist.
 */
export interface Uncrashed {
  /** A file of lib/roles. */
  readonly file: string;
  /** The line of the await, without its indentation. */
  readonly code: string;
  readonly why: string;
}

const recovery = 'worlds are too small for it to happen during the recovery after a restart';
const timer = 'waits for a timer alone, and so changes nothing';
const ramp = 'worlds are too small for a sweep after an outage to have a second page';

const operated =
  'in these worlds no operator changes agents and limits; test/sim/operated-agents.test.ts has those';

const overtaken =
  'a process that dies in the milliseconds between two tries is rarer than the seeds of one run';
const neverFull =
  'no line of a simulated world is full; test/roles/singleton-lines.test.ts has lines that are';
const sharedSlots =
  'calls that lease slots at the same time share one write, and the stack of that write shows none of them';

const single =
  'a bulk submission keeps nothing between its orders, and simulated submitters submit them one by one';

export const uncrashed: readonly Uncrashed[] = [
  {
    file: 'scheduler.ts',
    code: 'const unfinished = await applied(replies, records);',
    why: 'only a heartbeat of a call that counts in a limit of calls at once is awaited here: drawn orders have those (`npm run sim -- --drawn`)',
  },
  {
    file: 'agent-runner.ts',
    code: 'const refusal = begun instanceof Promise ? await begun : begun;',
    why: 'what is awaited begins in the line before, at which processes crash',
  },
  {
    file: 'agent-runner.ts',
    code: 'const admitted: Admission = asked instanceof Promise ? await asked : asked;',
    why: sharedSlots,
  },
  {
    file: 'agent-runner.ts',
    code: 'if (admitted.isProbe) return deferral(await refusalOf(ports.breaker, request));',
    why: sharedSlots,
  },
  {
    file: 'agent-runner.ts',
    code: 'const again = await breaker.admit(request);',
    why: sharedSlots,
  },
  {
    file: 'create-in-line.ts',
    code: 'await pause(clock, backOffMs(overtakenBackOff, tries, random));',
    why: overtaken,
  },
  {
    file: 'line-keeper.ts',
    code: 'await pause(clock, backOffMs(overtakenBackOff, tries, random));',
    why: overtaken,
  },
  {
    file: 'line-keeper.ts',
    code: 'if (first !== null && mayWaitForTurn(first)) await ports.nudges.send([nudgeOf(first)]);',
    why: 'rare in worlds of one key; the crash before it is one after the change of the line, at which processes crash',
  },
  {
    file: 'find-place.ts',
    code: 'const left = await withRoom(store, others);',
    why: neverFull,
  },
  {
    file: 'find-place.ts',
    code: 'const left = await withRoom(store, replaced === null ? others : others.slice(0, -1));',
    why: neverFull,
  },
  {
    file: 'find-place.ts',
    code: 'const left = line.length < limits.lineMax ? line : await liveAmong(store, line);',
    why: neverFull,
  },
  {
    file: 'live-order.ts',
    code: 'const records = await store.records(line);',
    why: neverFull,
  },
  {
    file: 'live-order.ts',
    code: 'const live = await Promise.all(line.map((orderId) => liveOrder(store, orderId)));',
    why: neverFull,
  },
  {
    file: 'limit-control.ts',
    code: 'const now = await settings.read();',
    why: operated,
  },
  {
    file: 'limit-control.ts',
    code: 'await settings.store(name, {',
    why: operated,
  },
  {
    file: 'limit-control.ts',
    code: 'await ports.onMore?.(ownersOf(name));',
    why: operated,
  },
  {
    file: 'limit-control.ts',
    code: "return { kind: 'done', limit: limitNow(limit, await settings.read()) };",
    why: operated,
  },
  {
    file: 'agent-control.ts',
    code: 'const reports = await ports.reports([...defined.agents.keys()]);',
    why: operated,
  },
  {
    file: 'agent-control.ts',
    code: 'list: async () => listed(await settings.read()),',
    why: operated,
  },
  {
    file: 'agent-control.ts',
    code: 'await settings.store(agent, changeOf(request, { by, at: clock.now() }));',
    why: operated,
  },
  {
    file: 'agent-control.ts',
    code: "if (request.kind !== 'drain') await ports.onMore?.(namesOf(registry, agent));",
    why: operated,
  },
  {
    file: 'agent-control.ts',
    code: 'const { agents } = await listed(await settings.read());',
    why: operated,
  },
  {
    file: 'order-events.ts',
    code: 'const decided = deciding instanceof Promise ? await deciding : deciding;',
    why: 'what is awaited begins in the line before, at which processes crash',
  },
  {
    file: 'decide-together.ts',
    code: 'const gated = deciding instanceof Promise ? await deciding : deciding;',
    why: 'what is awaited begins in the line before, at which processes crash',
  },
  {
    file: 'submission.ts',
    code: 'const refusal = answer instanceof Promise ? await answer : answer;',
    why: 'what is awaited begins in the line before, at which processes crash',
  },
  {
    file: 'restart.ts',
    code: 'await before;',
    why: 'waits for the slice of another caller, whose own awaits are struck',
  },
  {
    file: 'restart.ts',
    code: 'if (ramp.interrupted() === before) await ramp.pause(0);',
    why: timer,
  },
  { file: 'restart.ts', code: 'else await ramp.next();', why: timer },
  {
    file: 'restart-ramp.ts',
    code: 'await pause(Math.max(0, Math.min(beginsAt - clock.now(), second)));',
    why: timer,
  },
  {
    file: 'roles-after-restart.ts',
    code: 'const [written] = await restarted.interruptNow([orderId]);',
    why: recovery,
  },
  {
    file: 'restart.ts',
    code: 'const page = await store.due({ ...query, from: Math.max(query.from, startedAt) });',
    why: recovery,
  },
  { file: 'assemble.ts', code: 'await restarted.interruptNow(orderIds);', why: recovery },
  {
    file: 'due-timer.ts',
    code: 'if (waiting.length > 0) await ports.nudges.send(waiting.map(nudgeOf));',
    why: 'a second crash soon after one during a cool-down is rarer than the seeds of one run',
  },
  {
    file: 'look-ahead.ts',
    code: 'if (delayed.length > 0) await nudges.send(delayed);',
    why: 'in most worlds, faults end before an order has waited for longer than a message is delayed',
  },
  {
    file: 'look-ahead.ts',
    code: 'if (far.length > 0) await checks.send(far);',
    why: 'no call of a simulated order may take longer than a message is delayed',
  },
  {
    file: 'readable-records.ts',
    code: 'const each = await Promise.all(orderIds.map((orderId) => readableRecords(store, [orderId])));',
    why: 'two orders of which one is unreadable are rarely read together',
  },
  {
    file: 'sweep-shard.ts',
    code: 'if (isRamped) await waitUntil(ports, memory.rampAt);',
    why: ramp,
  },
  { file: 'sweep-shard.ts', code: 'await sweep.keep(memory);', why: ramp },
  {
    file: 'sweep-shard.ts',
    code: 'await waitUntil(ports, isRamped ? memory.rampAt : begunAt + msOf(page.found, perSecond));',
    why: ramp,
  },
  {
    file: 'submission-batch.ts',
    code: 'for (const [at, request] of waiting) outcomes.set(at, await inTurn(request));',
    why: single,
  },
  {
    file: 'submission-batch.ts',
    code: 'await Promise.all(Array.from({ length: Math.min(atOnce, requests.length) }, work));',
    why: single,
  },
  {
    file: 'submission-batch.ts',
    code: 'return await submission.submit(request, by);',
    why: single,
  },
  { file: 'sweep-shard.ts', code: 'await new Promise<void>((resolve) => {', why: ramp },
  {
    file: 'notifier.ts',
    code: 'return Math.min(settled, ...(await keep(ports, alerts.slice(at))));',
    why: 'an alert that fails in the last call before the crash is rarer than the seeds of one run',
  },
];
