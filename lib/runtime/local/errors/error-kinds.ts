/** The lines for those who start Reeve without a log and without `onCodeError`: the first error of each kind, without its message. */
import { errorCode, errorKind } from '#core/model/errors.ts';
import type { CodeError, OnCodeError } from './code-error.ts';

/** Authors choose the codes of faults, which may be without number. */
const kindsMax = 100;

/** Says the first error of each function and kind. Messages may quote details of an order, and are not shown. */
export function errorKinds(say: (line: string) => void): OnCodeError {
  const known = new Set<string>();
  return (thrown) => {
    const kind = kindOf(thrown);
    const what = `${subjectOf(thrown)} failed with ${kind}`;
    if (known.has(what) || known.size >= kindsMax) return;
    const hint =
      known.size > 0
        ? ''
        : ' Its message may quote an order and is not shown: the option `onCodeError` of startLocalReeve receives it.';
    known.add(what);
    say(`Reeve: ${what}; ${consequenceOf(thrown)}.${hint}\n`);
  };
}

/** `TypeError`, `TransientFault http-503`. */
function kindOf({ error }: CodeError): string {
  const code = errorCode(error);
  return [errorKind(error), ...(code === null ? [] : [code])].join(' ');
}

/** `the perform of agent pay in step charge`, `the input of step charge of workflow shop`. */
export function subjectOf({ agent, source, step, workflow }: CodeError): string {
  return agent === null
    ? `the \`${source}\` of step ${step} of workflow ${workflow}`
    : `the ${source} of agent ${agent} in step ${step}`;
}

/** What Reeve does after the error. */
export const consequenceOf = ({ agent }: CodeError): string =>
  agent === null
    ? 'the order stops in Error'
    : 'the call is repeated until the deadline of the step';
