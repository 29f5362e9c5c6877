/** Resubmits one order, unchanged or with corrected fields. */
import { type Signal, useSignal } from '@preact/signals';
import { post } from '#console/api/api-client.ts';
import type { Order, ProcessState } from '#console/api/documents.ts';
import { consequence, resultOf } from '#console/orders/bulk.ts';
import { Modal } from '../dialog/modal.tsx';
import { type CorrectionRow, correctionBody } from './correction-input.ts';

interface Props {
  readonly order: Order;
  readonly onClose: () => void;
}

interface Refusal {
  readonly words: string;
  readonly fields: readonly { readonly field: string; readonly message: string }[];
}

export function ResubmitDialog({ order, onClose }: Props) {
  const rows = useSignal<readonly CorrectionRow[]>([]);
  const refusal = useSignal<Refusal | null>(null);
  const isSent = useSignal(false);
  const send = async () => {
    isSent.value = true;
    const path = `/orders/${encodeURIComponent(order.orderId)}/resubmit`;
    const answer = await post<{ processState: ProcessState }>(path, correctionBody(rows.value));
    isSent.value = false;
    if (answer.kind === 'ok') return onClose();
    const { words } = resultOf(order.orderId, answer);
    const fields = answer.kind === 'refused' ? (answer.problem.errors ?? []) : [];
    refusal.value = { words, fields };
  };
  return (
    <Modal title="Resubmit this order?" onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void send();
        }}
      >
        <p>{consequence('resubmit')}</p>
        <Corrections rows={rows} />
        {refusal.value !== null && <Refused refusal={refusal.value} />}
        <div class="dialog-actions">
          <button class="plain" type="button" onClick={onClose}>
            Keep it unchanged
          </button>
          <button class="primary" type="submit" disabled={isSent.value}>
            Resubmit
          </button>
        </div>
      </form>
    </Modal>
  );
}

function Refused({ refusal }: { readonly refusal: Refusal }) {
  return (
    <div class="refusal" role="alert">
      <p>{refusal.words}</p>
      <ul>
        {refusal.fields.map(({ field, message }) => (
          <li key={field}>
            <code>{field}</code> {message}
          </li>
        ))}
      </ul>
    </div>
  );
}

function Corrections({ rows }: { readonly rows: Signal<readonly CorrectionRow[]> }) {
  const change = (at: number, part: Partial<CorrectionRow>) => {
    rows.value = rows.value.map((row, index) => (index === at ? { ...row, ...part } : row));
  };
  return (
    <fieldset class="corrections">
      <legend class="unseen">Corrections</legend>
      {rows.value.map(({ path, value }, at) => (
        <div class="correction" key={at}>
          <input
            aria-label={`Field ${at + 1}`}
            placeholder="payment.token"
            value={path}
            spellcheck={false}
            onInput={({ currentTarget }) => change(at, { path: currentTarget.value })}
          />
          <input
            aria-label={`New value ${at + 1}`}
            placeholder="new value"
            value={value}
            spellcheck={false}
            onInput={({ currentTarget }) => change(at, { value: currentTarget.value })}
          />
        </div>
      ))}
      <button
        class="quiet"
        type="button"
        onClick={() => {
          rows.value = [...rows.value, { path: '', value: '' }];
        }}
      >
        Correct a field
      </button>
    </fieldset>
  );
}
