/** Resubmits one order, unchanged or with corrected fields. */
import { type Signal, useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { post } from '#console/api/api-client.ts';
import type { Order, ProcessState } from '#console/api/documents.ts';
import { conditionOf, consequence, resultOf } from '#console/orders/bulk.ts';
import { Modal } from '../dialog/modal.tsx';
import { type CorrectionRow, correctionBody, emptyRow, meaningText } from './correction-input.ts';

interface Props {
  readonly order: Order;
  readonly onClose: () => void;
}

interface Refusal {
  readonly words: string;
  readonly fields: readonly { readonly field: string; readonly message: string }[];
}

/** The order has changed since the revision that the request names. */
const preconditionFailed = 412;

export function ResubmitDialog({ order, onClose }: Props) {
  const rows = useSignal<readonly CorrectionRow[]>([]);
  const refusal = useSignal<Refusal | null>(null);
  const isSent = useSignal(false);
  // Of the order as it was when it was decided on: one that was resubmitted meanwhile, and stopped again, may have another fault.
  const decidedOn = useRef<number | null>(order.revision);
  const send = async () => {
    if (isSent.value) return;
    isSent.value = true;
    const { orderId } = order;
    const path = `/orders/${encodeURIComponent(orderId)}/resubmit`;
    const body = correctionBody(rows.value, order.details);
    const revision = decidedOn.current ?? order.revision;
    const condition = conditionOf('resubmit', { orderId, revision });
    const answer = await post<{ processState: ProcessState }>(path, body, condition);
    isSent.value = false;
    if (answer.kind === 'ok') return onClose();
    const { words } = resultOf(orderId, answer);
    const isRefused = answer.kind === 'refused';
    // Then the next one is for the order that the page shows.
    if (isRefused && answer.status === preconditionFailed) decidedOn.current = null;
    refusal.value = { words, fields: (isRefused && answer.problem.errors) || [] };
  };
  return (
    <Modal title="Resubmit this order?" {...(!isSent.value && { onClose })}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void send();
        }}
      >
        <p>{consequence('resubmit')}</p>
        {order.actions.correct === null && <Corrections rows={rows} details={order.details} />}
        {refusal.value !== null && <Refused refusal={refusal.value} />}
        <div class="dialog-actions">
          <button class="plain" type="button" disabled={isSent.value} onClick={onClose}>
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

interface CorrectionsProps {
  readonly rows: Signal<readonly CorrectionRow[]>;
  readonly details: unknown;
}

function Corrections({ rows, details }: CorrectionsProps) {
  const change = (at: number, part: Partial<CorrectionRow>) => {
    rows.value = rows.value.map((row, index) => (index === at ? { ...row, ...part } : row));
  };
  return (
    <fieldset class="corrections">
      <legend class="unseen">Corrections</legend>
      {rows.value.map((row, at) => (
        <div class="correction" key={at}>
          <input
            aria-label={`Field ${at + 1}`}
            placeholder="payment.token"
            value={row.path}
            spellcheck={false}
            onInput={({ currentTarget: { value: path } }) => change(at, { path, isOther: false })}
          />
          <input
            aria-label={`New value ${at + 1}`}
            placeholder="new value"
            value={row.value}
            spellcheck={false}
            onInput={({ currentTarget: { value } }) => change(at, { value, isOther: false })}
          />
          {row.path.trim() !== '' && (
            <Meaning
              row={row}
              details={details}
              onOther={() => change(at, { isOther: !row.isOther })}
            />
          )}
        </div>
      ))}
      <button
        class="quiet"
        type="button"
        onClick={() => {
          rows.value = [...rows.value, emptyRow];
        }}
      >
        Correct a field
      </button>
    </fieldset>
  );
}

interface MeaningProps {
  readonly row: CorrectionRow;
  readonly details: unknown;
  readonly onOther: () => void;
}

/** What will be sent: the same characters can be a text and a number. */
function Meaning({ row, details, onOther }: MeaningProps) {
  const { sent, other, note } = meaningText(row, details);
  return (
    <p class="soft small" role="status">
      {note} Sends <span class="id">{sent}</span>.{' '}
      {other !== null && (
        <button class="quiet" type="button" onClick={onOther}>
          Send {other}
        </button>
      )}
    </p>
  );
}
