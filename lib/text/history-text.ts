/** Formats history entries as sentences. */
import { gateReason, isTurn, turnText } from './gate-text.ts';
import type { AgentLine, FaultLine, HistoryLine, HoldLine } from './history-entry.ts';
import { lazily } from './lazily.ts';
import { durationText } from './relative-time.ts';

const list = lazily(() => new Intl.ListFormat('en', { type: 'conjunction' }));

export function historySentence(entry: HistoryLine): string {
  const { agents = [] } = entry;
  return [eventText(entry), ...agents.map(agentText)].join('; ');
}

const agentText = ({ step, agent, undoFirst }: AgentLine): string =>
  undoFirst
    ? `step ${step} is undone at ${agent} before it starts anew`
    : `step ${step} goes to ${agent}`;

function eventText(entry: HistoryLine): string {
  switch (entry.type) {
    case 'submit': {
      const submitted = entry.by === null ? 'submitted' : `submitted by ${entry.by}`;
      return entry.notBefore === null
        ? submitted
        : `${submitted}, to begin after ${durationText(entry.notBefore - entry.at)}`;
    }
    case 'claim': {
      const claim = `Scheduler ${entry.by} claimed it`;
      return entry.definitionUnknown ? `${claim}, but does not know its workflow` : claim;
    }
    case 'resume':
      return `Scheduler ${entry.by} asked the agents of its held steps again`;
    case 'held': {
      const often = entry.times > 1 ? ` (asked ${entry.times} times)` : '';
      return `held: ${list().format(entry.holds.map(holdText))}${often}`;
    }
    case 'stepSucceeded':
      return `step ${entry.step} completed ${attempt(entry)}`;
    case 'undoSucceeded':
      return `step ${entry.step} undone ${attempt(entry)}`;
    case 'heartbeat':
      return `heartbeat of step ${entry.step} ${attempt(entry)}`;
    case 'deferred':
      return `step ${entry.step}: its agent gave the call back ${attempt(entry)}, because ${gateReason(entry.gate)}`;
    case 'stepFailed':
      return `step ${entry.step} failed ${attempt(entry)}: ${faultText(entry.fault)}`;
    case 'undoFailed':
      return `undo of step ${entry.step} failed ${attempt(entry)}: ${faultText(entry.fault)}`;
    case 'expired':
      return expiredText(entry);
    case 'interrupted': {
      const cause = entry.reason === 'restart' ? 'Reeve was restarted' : 'Reeve had an outage';
      const interrupted = `${steps(entry)} interrupted, no failure counted`;
      const found = entry.steps.length > 0 ? interrupted : unclaimed(entry);
      return `${cause}: ${found}${wait(entry.notBefore - entry.at)}`;
    }
    case 'resubmit':
      return `resubmitted by ${entry.by}${corrections(entry.corrected)}`;
    case 'cancel':
      return `cancelled by ${entry.by}`;
    case 'reprioritise':
      return `priority changed from ${entry.from} to ${entry.priority} by ${entry.by}`;
    case 'shortened':
      return `the record of the order was full: ${entry.entries} older ${entry.entries === 1 ? 'entry was' : 'entries were'} dropped`;
    case 'other':
      return entry.title;
  }
}

function expiredText(entry: Extract<HistoryLine, { type: 'expired' }>): string {
  const timedOut = entry.steps.length > 0 ? `${steps(entry)} timed out` : null;
  if (!entry.late) return timedOut ?? unclaimed(entry);
  const late = 'the order was not finished by its deadline';
  return timedOut === null ? late : `${timedOut}; ${late}`;
}

/** Which step waits, and why. */
function holdText({ step, gate, agent = 'its agent' }: HoldLine): string {
  if (isTurn(gate)) return `step ${step} waits until ${turnText(null)} have ended`;
  return `step ${step} waits, because ${gateReason(gate, agent)}`;
}

export function faultText({ code, message, effect }: FaultLine): string {
  const outcome = effect === 'none' ? 'it had no effect' : 'it may have had an effect';
  return `${message.replace(/\.$/, '')} (${code}; ${outcome})`;
}

function attempt(entry: { readonly attempt: number }): string {
  return `(attempt ${entry.attempt})`;
}

function steps({ steps: names }: { readonly steps: readonly string[] }): string {
  return `${names.length === 1 ? 'step' : 'steps'} ${list().format(names)}`;
}

/** Neither steps nor nudges: the Supervisor repaired a due time that was too far ahead. */
function unclaimed({ nudges }: { readonly nudges: number }): string {
  if (nudges === 0) return 'the Supervisor made it due again';
  return `not claimed yet: nudged ${nudges === 1 ? 'once' : `${nudges} times`}`;
}

function corrections(fields: readonly string[]): string {
  return fields.length === 0 ? '' : `, who corrected ${list().format(fields)}`;
}

function wait(ms: number): string {
  return ms < 500 ? '' : `; continues after ${durationText(ms)}`;
}
