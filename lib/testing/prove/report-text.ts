/** The report of a proof for people. */
import type { RuleName } from '#checkers/violation.ts';
import { type FindingKind, isFindingKind } from './finding.ts';
import { versionName } from './orders/release.ts';
import type { ProofReport } from './proof-report.ts';

/** What each kind of mistake means, and what to do. */
const explanations: Readonly<Record<FindingKind, string>> = {
  'effect-twice':
    'A request was sent twice with the same idempotency key, and the service took effect twice. Networks repeat requests, and Reeve repeats attempts. Let the service recognise the key, or let the agent ask whether the effect is there before it asks for it.',
  'effect-left':
    'The order was undone, and something that one of its steps did is still in force. Its undo must find and take back everything that any try of the step may have done, also where the output is null because no answer came, and must make a later perform with the same key fail (a tombstone): a late request may arrive after the undo.',
  'effect-gone':
    'The order was processed, and something that one of its steps did was taken back. An undo must take back only what belongs to the perform that it is given.',
  'effect-unknown':
    'An earlier try of the step left an effect of which the try that succeeded knows nothing: the customer has it twice. Every try must use the same key: pass call.idempotencyKey to the service, and let the service recognise it.',
  'effect-shared':
    "Two steps, or two orders, use one key: the service takes the second request for a repetition of the first one, and does nothing. The undo of one takes back the effect of the other as well. Pass call.idempotencyKey, which is different for each step of each order. An agent that has no effect, and looks at what others did, is defined with `undo: 'unneeded'`.",
  'fault-swallowed':
    'A step that returns is done for ever: its service is not asked again. Do not catch what Reeve must know: throw the fault again, so that the call is repeated until the service has answered.',
  'code-throws':
    'Reeve takes each error but a PermanentFault for one that passes, and calls the agent again until the deadline of the step; an `input` or a `when` that throws stops the order in Error, and calls of a limit whose `key` throws, or returns neither a text nor null, all count together. Correct the code at the given place. An agent whose service refuses for good throws a PermanentFault, and one that waits for something a TransientFault. Catch what the callback of a timer throws within it: no caller gets it.',
  'undo-fails':
    'An undo may be called where the perform has never reached the service, where output is null, and again after it has succeeded. It must succeed where there is nothing to take back; otherwise the order never ends.',
  'deadline-short':
    'The service needs more time than the step gives it. Every attempt ends before its answer, and each further one begins anew. Raise `completeWithin` of the step (or of its `undo`) above the time that the service takes, or report progress with call.heartbeat() and raise `maxDuration`.',
  'agent-late':
    'After its deadline an attempt is over: Reeve may have begun another one, or the undo of the step. An agent that goes on calling its service then works against it. Pass call.signal to every request, and check it before each further one.',
  'output-changes':
    'The output of a step must be the same for every try with the same key, because any of the answers may be the one that is kept. Return what the service stored at the first request, and nothing that is made by the clock, by chance or anew for each call.',
  'not-pure':
    'The functions of a workflow are called again for every attempt and for every look at the order. They must return the same for the same argument.',
  'calls-outside':
    'A real service is not in the simulated time, does not fail when the simulation says so, and must not get the requests of a proof. The call was refused.',
  'waits-outside':
    'Virtual time jumps from event to event: what is not simulated never ends in time.',
  'not-awaited':
    'A failure that no code waits for is lost: the step counts as done although its call has failed, and Node ends the process. Await each call, or return its promise.',
  'never-processed':
    'A proof of orders that always fail says nothing. The text above says how the first one failed. Does the agent reach its simulated service? Are the details those of a usual order?',
};

const ofRules: Readonly<Partial<Record<RuleName, string>>> = {
  R10: 'Something took effect after the order was Undone, or was undone after the order was Processed.',
  R14: 'A document of the order is larger than its limit: let agents return only what later steps need.',
  R16: 'Nothing fails any more, and the order still does not end. A step that is refused for good each time keeps it from its end, and so does an undo, where its agent offers one: let the undo succeed where there is nothing to take back.',
};

const ofReeve =
  'This is a rule that Reeve itself keeps (docs/design.md). If the agents and the workflow do nothing unusual, please report it with the seed.';

/** What a broken rule means, and what to do. */
export function explanationOf(rule: FindingKind | RuleName): string {
  return isFindingKind(rule) ? explanations[rule] : (ofRules[rule] ?? ofReeve);
}

/** See above. */
export function reportText(report: Omit<ProofReport, 'text'>): string {
  const { worlds, orders, hours, tookMs, mistakes, faults, explored, notCovered } = report;
  const hit = [...faults.values()].reduce((sum, times) => sum + times, 0);
  const effort = `${counted(worlds, 'world')}, ${counted(orders, 'order')}, ${counted(hit, 'fault')} of ${faults.size} kinds, ${Math.round(hours).toLocaleString('en')} hours of virtual time, in ${(tookMs / 1_000).toFixed(1)} s${explored.map(exploredText).join('')}`;
  if (mistakes.length === 0)
    return [`Proven: ${effort}.`, ...uncoveredLines(notCovered)].join('\n');
  return [`Not proven: ${effort}.`, ...mistakes.map(mistakeText)].join('\n\n');
}

const uncoveredLines = (notCovered: readonly string[]): readonly string[] =>
  notCovered.length === 0
    ? []
    : [
        'Not covered by these worlds, so nothing is proven of it:',
        ...notCovered.map((one) => `- ${one}`),
      ];

const exploredText = ({
  workflow: name,
  version,
  states,
  isComplete,
}: ProofReport['explored'][number]) =>
  `; ${isComplete ? 'all ' : ''}${counted(states, 'state')} of an order of ${versionName({ name, version })} explored${isComplete ? '' : ', not all'}`;

function mistakeText({
  seed,
  rule,
  message,
  explanation,
  shortest,
}: ProofReport['mistakes'][number]) {
  const { faults, story } = shortest;
  const causes =
    faults.length === 0
      ? 'no fault'
      : faults.map(([name, times]) => `${name}${times > 1 ? ` × ${times}` : ''}`).join(', ');
  return [
    `seed ${seed}: ${rule}`,
    message,
    explanation,
    '',
    `The shortest way that was found: ${counted(shortest.orders, 'order')}, ${causes}.`,
    ...story.map((line) => `  ${line}`),
  ].join('\n');
}

const counted = (count: number, what: string) =>
  `${count.toLocaleString('en')} ${what}${count === 1 ? '' : 's'}`;
