/** The filters of the listing; the address contains them, so that it can be shared. */
import type { ProcessState, Workflow } from '#console/api/documents.ts';
import { useWorkflows } from '#console/api/use-activity.ts';
import { replaceHash } from '#console/parts/location.ts';
import { type OrderQuery, ordersHash } from '#console/parts/page-paths.ts';
import { processStates, processStyle } from '#console/parts/state-words.ts';
import { Icon } from '../parts/icon.tsx';

const ages = [
  { value: '', word: 'any time' },
  { value: '15m', word: 'last 15 min' },
  { value: '1h', word: 'last hour' },
  { value: '1d', word: 'last day' },
  { value: '7d', word: 'last 7 days' },
] as const;

export function OrderFilters({ query }: { readonly query: OrderQuery }) {
  const workflows = useWorkflows().value;
  const names = [...new Set(workflows.map(({ name }) => name))];
  const steps = stepsOf(workflows, query);
  // Orders of a workflow that the server no longer knows can still be listed.
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
        <button
          class="chip"
          type="button"
          aria-pressed={query.held !== ''}
          title="Orders with a step that waits for its agent, or for earlier orders of its singleton key"
          onClick={() => ask({ held: query.held === '' ? 'true' : '' })}
        >
          <Icon name="pause" /> Held
        </button>
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
              {word}
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
        <select
          aria-label="Step"
          value={query.step}
          onChange={({ currentTarget }) => ask({ step: currentTarget.value })}
        >
          <option value="">fault of any step</option>
          {steps.map((name) => (
            <option key={name} value={name}>
              fault of {name}
            </option>
          ))}
        </select>
        <input
          type="search"
          aria-label="Fault code"
          placeholder="any fault code"
          value={query.fault}
          maxLength={100}
          onChange={({ currentTarget }) => ask({ fault: currentTarget.value.trim() })}
        />
        {query.agent !== '' && (
          <button class="plain" type="button" onClick={() => ask({ agent: '' })}>
            agent {query.agent} <Icon name="cross" />
          </button>
        )}
      </div>
    </search>
  );
}

/** The steps of the selected workflow, or of all. */
function stepsOf(workflows: readonly Workflow[], query: OrderQuery): readonly string[] {
  const meant = workflows.filter(({ name }) => query.workflow === '' || name === query.workflow);
  const names = new Set(meant.flatMap(({ steps }) => steps.map(({ name }) => name)));
  if (query.step !== '') names.add(query.step);
  return [...names].toSorted();
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
      data-tone={state === '' ? undefined : processStyle(state).tone}
      onClick={() => onChoose({ state })}
    >
      {state !== '' && <Icon name={processStyle(state).sign} />}
      {state === '' ? 'All' : state}
    </button>
  );
}
