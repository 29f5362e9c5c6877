/** The input and output of each step. */

import type { Order, Step } from '#console/api/documents.ts';
import { sentence } from '#text/sentence.ts';
import { Icon } from '../parts/icon.tsx';
import { StepBadge } from '../parts/state-badge.tsx';
import { DocumentText } from './document-text.tsx';
import { effectWords } from './fault-words.ts';

export function StepDocuments({ steps }: Pick<Order, 'steps'>) {
  return (
    <section class="card" aria-labelledby="documents-title">
      <div class="card-head">
        <h2 id="documents-title">Inputs and outputs</h2>
      </div>
      {Object.entries(steps).map(([name, step]) => (
        <details key={name} class="step">
          <summary>
            <span class="strong">{name}</span>
            <span class="soft">{step.agent}</span>
            <StepBadge
              {...{ state: step.state, attempt: step.attempt, undoFirst: step.undoFirst }}
            />
          </summary>
          <StepDocument name={name} step={step} />
        </details>
      ))}
    </section>
  );
}

function StepDocument({ name, step }: { readonly name: string; readonly step: Step }) {
  const { fault, input, output, inDoubt } = step;
  return (
    <div class="step-body">
      {fault !== null && (
        <p data-tone="bad">
          <Icon name="alert" /> {sentence(fault.message)} {effectWords(fault)}{' '}
          <code>{fault.code}</code>
        </p>
      )}
      {inDoubt && <p class="soft">In doubt: a call may have had an unknown effect.</p>}
      {input !== null && (
        <>
          <h3>Input</h3>
          <DocumentText document={input} label={`Input of ${name}`} />
        </>
      )}
      <h3>Output</h3>
      {output === null ? (
        <p class="soft">None yet.</p>
      ) : (
        <DocumentText document={output} label={`Output of ${name}`} />
      )}
    </div>
  );
}
