/** The API's history entries as the shared sentences take them; one that is not known keeps its name. */

import type { HistoryDocument } from '#console/api/documents.ts';
import { type HistoryLine, unknownEntryTitle } from '#text/history-entry.ts';

export function historyLine(entry: HistoryDocument): HistoryLine {
  const line = eventLine(entry);
  return entry.agents === undefined ? line : { ...line, agents: entry.agents };
}

function eventLine(entry: HistoryDocument): HistoryLine {
  const at = Date.parse(entry.at);
  const { type, by = 'unknown', step, attempt, fault, steps = [], nudges = 0 } = entry;
  const title = type === 'unknown' ? unknownEntryTitle : type;
  const other: HistoryLine = { type: 'other', at, title };
  switch (type) {
    case 'submit':
      return { type, at, by: entry.by ?? null, notBefore: instantOf(entry.notBefore) };
    case 'claim':
      return { type, at, by, definitionUnknown: entry.definitionUnknown === true };
    case 'resume':
      return { type, at, by };
    case 'held':
      return { type, at, holds: entry.holds ?? [], times: entry.times ?? 1 };
    case 'resubmit':
      return { type, at, by, corrected: entry.corrected ?? [] };
    case 'cancel':
      return { type, at, by };
    case 'reprioritise':
      return entry.priority === undefined || entry.from === undefined
        ? other
        : { type, at, by, priority: entry.priority, from: entry.from };
    case 'shortened':
      return entry.entries === undefined ? other : { type, at, entries: entry.entries };
    case 'expired':
      return { type, at, steps, nudges, late: entry.late === true };
    case 'interrupted': {
      const reason = entry.reason === 'restart' ? 'restart' : 'outage';
      const notBefore = entry.notBefore === undefined ? at : Date.parse(entry.notBefore);
      return { type, at, steps, nudges, reason, notBefore };
    }
    case 'stepSucceeded':
    case 'undoSucceeded':
    case 'heartbeat':
      return step === undefined || attempt === undefined ? other : { type, at, step, attempt };
    case 'deferred':
      return step === undefined || attempt === undefined || entry.gate === undefined
        ? other
        : { type, at, step, attempt, gate: entry.gate };
    case 'stepFailed':
    case 'undoFailed':
      return step === undefined || attempt === undefined || fault === undefined
        ? other
        : { type, at, step, attempt, fault };
    default:
      return other;
  }
}

const instantOf = (iso: string | undefined) => (iso === undefined ? null : Date.parse(iso));
