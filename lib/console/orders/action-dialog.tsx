/** Resubmits, cancels or reprioritises orders: first a preview with their number, then the result of each. */
import { type Signal, useSignal } from '@preact/signals';
import { orderHash } from '#console/parts/page-paths.ts';
import { Modal } from '../dialog/modal.tsx';
import { Icon } from '../parts/icon.tsx';
import { ScrollBox } from '../parts/scroll-box.tsx';
import {
  type Action,
  consequence,
  leftAlone,
  number,
  ordersText,
  type Priority,
  priorities,
} from './bulk.ts';
import { type BulkControl, type BulkRun, type Choice, useBulkRun } from './use-bulk-run.ts';

interface Props {
  readonly action: Action;
  readonly choice: Choice;
  readonly onClose: () => void;
}

const verbs = { resubmit: 'Resubmit', cancel: 'Cancel', reprioritise: 'Reprioritise' } as const;

export function ActionDialog({ action, choice, onClose }: Props) {
  const control = useBulkRun(action, choice);
  const priority = useSignal(otherPriority(choice));
  const body = action === 'reprioritise' ? { priority: priority.value } : null;
  const run = control.run.value;
  const { stage } = run;
  return (
    // A run that Escape or a link would end half way is stopped by its button alone.
    <Modal title={titleOf(action, run)} {...(stage !== 'running' && { onClose })}>
      {stage === 'finding' && (
        <p role="status">Finding the orders that match: {number(run.meant)} so far.</p>
      )}
      {stage === 'failed' && (
        <p role="alert">The orders could not be listed, and none of them was changed.</p>
      )}
      {stage === 'asking' && <Question action={action} run={run} />}
      {stage === 'asking' && action === 'reprioritise' && <PriorityChoice priority={priority} />}
      {(stage === 'running' || stage === 'stopped' || stage === 'out' || stage === 'done') && (
        <Progress run={run} />
      )}
      <Buttons {...{ action, control, onClose }} go={() => control.go(body)} />
    </Modal>
  );
}

/** The highest class that the orders do not have. */
function otherPriority(choice: Choice): Priority {
  const present = new Set(
    choice.kind === 'these' ? choice.orders.map((order) => order.priority) : [],
  );
  return priorities.find((priority) => !present.has(priority)) ?? 'high';
}

function PriorityChoice({ priority }: { readonly priority: Signal<Priority> }) {
  return (
    <fieldset class="choices">
      <legend>New priority</legend>
      {priorities.map((each) => (
        <label key={each}>
          <input
            type="radio"
            name="priority"
            checked={priority.value === each}
            onChange={() => {
              priority.value = each;
            }}
          />
          {each}
        </label>
      ))}
    </fieldset>
  );
}

function titleOf(action: Action, { stage, meant }: BulkRun): string {
  if (stage === 'finding' || stage === 'failed') return `${verbs[action]} all that match?`;
  return stage === 'asking' ? `${verbs[action]} ${ordersText(meant)}?` : `${verbs[action]} orders`;
}

function Question({ action, run }: { readonly action: Action; readonly run: BulkRun }) {
  const { meant, skipped, isComplete } = run;
  return (
    <>
      <p>
        {meant === 0
          ? 'This action is not possible for any of the selected orders.'
          : consequence(action)}
      </p>
      {skipped > 0 && <p class="soft">{leftAlone(action, skipped)}</p>}
      {!isComplete && (
        <p class="soft">
          More orders may match than these. Afterwards you can go on with the next ones.
        </p>
      )}
    </>
  );
}

interface ButtonsProps {
  readonly action: Action;
  readonly control: BulkControl;
  readonly go: () => void;
  readonly onClose: () => void;
}

function Buttons({ action, control: { run, find, stop }, go, onClose }: ButtonsProps) {
  const { stage, meant, done, hasNext } = run.value;
  const isBegun = stage === 'running' || stage === 'stopped' || stage === 'out' || stage === 'done';
  const look = action === 'cancel' ? 'danger' : 'primary';
  return (
    <div class="dialog-actions">
      {stage === 'running' && (
        <button class="plain" type="button" onClick={stop}>
          Stop
        </button>
      )}
      {(stage === 'stopped' || stage === 'out') && (
        <button class={look} type="button" onClick={go}>
          Continue with {ordersText(meant - done)}
        </button>
      )}
      {((stage === 'done' && hasNext) || stage === 'failed') && (
        <button class="primary" type="button" onClick={find}>
          {stage === 'failed' ? 'Try again' : 'Find the next orders'}
        </button>
      )}
      <button
        class={stage === 'done' && !hasNext ? 'primary' : 'plain'}
        type="button"
        disabled={stage === 'running'}
        onClick={onClose}
      >
        {isBegun ? 'Close' : 'Keep them unchanged'}
      </button>
      {stage === 'asking' && (
        <button class={look} type="button" disabled={meant === 0} onClick={go}>
          {verbs[action]} {ordersText(meant)}
        </button>
      )}
    </div>
  );
}

function Progress({ run }: { readonly run: BulkRun }) {
  const { stage, meant, done, refused, results } = run;
  return (
    <>
      <p role="status">
        {number(done)} of {number(meant)} done{refused > 0 && `, ${number(refused)} refused`}
      </p>
      <progress value={done} max={meant} aria-label="Orders done" />
      {stage === 'out' && (
        <p role="alert">
          Reeve does not answer, or refuses all work for now. Continue with the rest later.
        </p>
      )}
      {done > results.length && (
        <p class="soft">Only the refused and the latest results are shown.</p>
      )}
      <ScrollBox class="results" label="Results">
        <ul>
          {results.map(({ orderId, ok, words }) => (
            <li key={orderId} data-tone={ok ? 'good' : 'bad'}>
              <Icon name={ok ? 'check' : 'cross'} />
              {stage === 'running' ? (
                <span class="id">{orderId}</span>
              ) : (
                <a class="id" href={orderHash(orderId)}>
                  {orderId}
                </a>
              )}
              <span class="soft">{words}</span>
            </li>
          ))}
        </ul>
      </ScrollBox>
    </>
  );
}
