/** Which orders are listed; the address says it too, so that it can be sent to somebody. */
import type { ProcessState } from './documents.ts';
import { Icon } from './icon.tsx';
import { replaceHash } from './location.ts';
import { type OrderQuery, ordersHash } from './routes.ts';
import { processLook, processStates } from './state-words.ts';
import { useWorkflows } from './use-activity.ts';

const ages = [
  { value: '', word: 'at any time' },
  { value: '15m', word: 'in the last 15 min' },
  { value: '1h', word: 'in the last hour' },
  { value: '1d', word: 'in the last day' },
  { value: '7d', word: 'in the last 7 days' },
] as const;

export function OrderFilters({ query }: { readonly query: OrderQuery }) {
  const names = [...new Set(useWorkflows().value.map(({ name }) => name))];
  // A name that the server does not know any more can still be asked for.
  if (query.workflow !== '' && !names.includes(query.workflow)) names.push(query.workflow);
  const ask = (change: Partial<OrderQuery>) => replaceHash(ordersHash({ ...query, ...change }));
  return (
    <search class="filters">
      <fieldset class="chips" aria-label="State">
        <StateChip state="" query={query} onChoose={ask} />
        {processStates.map((state) => (
          <StateChip key={state} state={state} query={query} onChoose={ask} />
        ))}
      </fieldset>
      <div class="filter-fields">
        <select
          aria-label="Workflow"
          value={query.workflow}
          onChange={({ currentTarget }) => ask({ workflow: currentTarget.value })}
        >
          <option value="">every workflow</option>
          {names.map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
        <select
          aria-label="Changed"
          value={query.within}
          onChange={({ currentTarget }) => ask({ within: currentTarget.value })}
        >
          {ages.map(({ value, word }) => (
            <option key={value} value={value}>
              {value === '' ? 'changed at any time' : `changed ${word}`}
            </option>
          ))}
        </select>
        <input
          type="search"
          aria-label="Tenant"
          placeholder="every tenant"
          value={query.tenant}
          maxLength={64}
          onChange={({ currentTarget }) => ask({ tenant: currentTarget.value.trim() })}
        />
        {query.correlationId !== '' && (
          <button class="plain" type="button" onClick={() => ask({ correlationId: '' })}>
            submitted as {query.correlationId} <Icon name="cross" />
          </button>
        )}
        {query.agent !== '' && (
          <button class="plain" type="button" onClick={() => ask({ agent: '' })}>
            agent {query.agent} <Icon name="cross" />
          </button>
        )}
      </div>
    </search>
  );
}

interface ChipProps {
  readonly state: ProcessState | '';
  readonly query: OrderQuery;
  readonly onChoose: (change: Partial<OrderQuery>) => void;
}

function StateChip({ state, query, onChoose }: ChipProps) {
  return (
    <button
      class="chip"
      type="button"
      aria-pressed={query.state === state}
      data-tone={state === '' ? undefined : processLook(state).tone}
      onClick={() => onChoose({ state })}
    >
      {state !== '' && <Icon name={processLook(state).sign} />}
      {state === '' ? 'All' : state}
    </button>
  );
}
