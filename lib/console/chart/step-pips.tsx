/** The steps of an order in miniature: one pip each. */
import type { Change } from '#console/api/documents.ts';
import { stepStyle } from '#console/parts/state-words.ts';

export function StepPips({ steps }: { readonly steps: Change['steps'] }) {
  const all = Object.entries(steps);
  if (all.length === 0) return <span class="pips" />;
  const said = all
    .map(([name, state]) => `${name}: ${stepStyle(state).word.toLowerCase()}`)
    .join(', ');
  return (
    <span class="pips" role="img" aria-label={said} title={said}>
      {all.map(([name, state]) => (
        <span key={name} class="pip" data-tone={stepStyle(state).tone} data-state={state} />
      ))}
    </span>
  );
}
