/** Resubmits or cancels: says first what will happen, and then for every order what became of it. */
import { useSignal } from '@preact/signals';
import type { Answer } from './answer.ts';
import { post } from './api.ts';
import { type Action, consequence, fits, forEachOrder, leftAlone, type Result } from './bulk.ts';
import type { ProcessState, SummaryDocument } from './documents.ts';
import { Icon } from './icon.tsx';
import { Modal } from './modal.tsx';
import { orderHash } from './routes.ts';
import { ScrollBox } from './scroll-box.tsx';

interface Props {
  readonly action: Action;
  readonly orders: readonly SummaryDocument[];
  readonly onClose: () => void;
}

const verbs = { resubmit: 'Resubmit', cancel: 'Cancel' } as const;

export function ActionDialog({ action, orders, onClose }: Props) {
  const fitting = useSignal(orders.filter((order) => fits(action, order)));
  const skipped = useSignal(orders.length - fitting.value.length);
  const results = useSignal<readonly Result[] | null>(null);
  const meant = fitting.value;
  const count = meant.length === 1 ? '1 order' : `${meant.length} orders`;
  const run = () => {
    results.value = [];
    const act = (orderId: string): Promise<Answer<{ processState: ProcessState }>> =>
      post(`/orders/${encodeURIComponent(orderId)}/${action}`, null);
    const ids = meant.map(({ orderId }) => orderId);
    void forEachOrder(ids, act, (result) => {
      results.value = [...(results.value ?? []), result];
    });
  };
  return (
    <Modal title={`${verbs[action]} ${count}?`} onClose={onClose}>
      {results.value === null ? (
        <>
          <p>
            {meant.length === 0 ? 'None of the selected orders can take it.' : consequence(action)}
          </p>
          {skipped.value > 0 && <p class="soft">{leftAlone(action, skipped.value)}</p>}
          <div class="dialog-actions">
            <button class="plain" type="button" onClick={onClose}>
              Leave them
            </button>
            <button
              class={action === 'cancel' ? 'danger' : 'primary'}
              type="button"
              disabled={meant.length === 0}
              onClick={run}
            >
              {verbs[action]} {count}
            </button>
          </div>
        </>
      ) : (
        <Results results={results.value} all={meant.length} onClose={onClose} />
      )}
    </Modal>
  );
}

interface ResultsProps {
  readonly results: readonly Result[];
  readonly all: number;
  readonly onClose: () => void;
}

function Results({ results, all, onClose }: ResultsProps) {
  const refused = results.filter(({ ok }) => !ok).length;
  const sum = `${results.length} of ${all} done${refused > 0 ? `, ${refused} refused` : ''}`;
  return (
    <>
      <p role="status">{sum}</p>
      <progress value={results.length} max={all} aria-label="Orders done" />
      <ScrollBox class="results" label="Results">
        <ul>
          {results.map(({ orderId, ok, words }) => (
            <li key={orderId} data-tone={ok ? 'good' : 'bad'}>
              <Icon name={ok ? 'check' : 'cross'} />
              <a class="id" href={orderHash(orderId)}>
                {orderId}
              </a>
              <span class="soft">{words}</span>
            </li>
          ))}
        </ul>
      </ScrollBox>
      <div class="dialog-actions">
        <button class="primary" type="button" disabled={results.length < all} onClick={onClose}>
          Close
        </button>
      </div>
    </>
  );
}
