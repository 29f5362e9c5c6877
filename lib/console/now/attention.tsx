/** What needs an operator: orders in Error by what stopped them, each cause with one button for all of it. */
import { type Signal, useSignal } from '@preact/signals';
import type { Loaded } from '#console/api/keep-loaded.ts';
import { mayOperate } from '#console/api/signed-in.ts';
import { faultTitle } from '#console/order/fault-words.ts';
import { number, ordersText } from '#console/orders/bulk.ts';
import type { Choice } from '#console/orders/use-bulk-run.ts';
import { emptyQuery, listingPath, orderHash, ordersHash } from '#console/parts/page-paths.ts';
import { sentence } from '#text/sentence.ts';
import { ActionDialog } from '../orders/action-dialog.tsx';
import { Icon } from '../parts/icon.tsx';
import { Ago } from '../parts/instant.tsx';
import { NotLoaded } from '../parts/notice.tsx';
import {
  type Cause,
  type CauseGroup,
  causeGroups,
  causeKey,
  causeOf,
  causeQuery,
} from './causes.ts';
import { type Stopped, useStopped } from './use-stopped.ts';

const shownMax = 6;

export function Attention() {
  const loaded = useStopped().value;
  const chosen = useSignal<Cause | null>(null);
  return (
    <>
      <Overview loaded={loaded} chosen={chosen} />
      {chosen.value !== null && (
        <ActionDialog
          action="resubmit"
          choice={ofCause(chosen.value)}
          onClose={() => {
            chosen.value = null;
          }}
        />
      )}
    </>
  );
}

interface OverviewProps {
  readonly loaded: Loaded<Stopped>;
  readonly chosen: Signal<Cause | null>;
}

function Overview({ loaded, chosen }: OverviewProps) {
  if (loaded.kind === 'loading')
    return (
      <div class="attention calm" aria-hidden="true">
        {' '}
      </div>
    );
  if (loaded.kind !== 'shown') return <NotLoaded loaded={loaded} />;
  if (loaded.body.orders.length === 0) {
    return (
      <section class="attention calm" aria-label="What needs an operator">
        <Icon name="check" /> Nothing needs an operator.
      </section>
    );
  }
  return <Causes stopped={loaded.body} chosen={chosen} />;
}

interface CausesProps {
  readonly stopped: Stopped;
  readonly chosen: Signal<Cause | null>;
}

function Causes({ stopped: { orders, isComplete }, chosen }: CausesProps) {
  const groups = causeGroups(orders);
  const more = groups.length - shownMax;
  return (
    <section class="attention" aria-labelledby="attention-title">
      <div class="attention-head">
        <h2 id="attention-title">
          <Icon name="alert" /> Needs an operator
        </h2>
        <a class="more" href={ordersHash({ state: 'Error' })}>
          {isComplete ? ordersText(orders.length) : 'All orders'} in Error
        </a>
      </div>
      <ul class="rows">
        {groups.slice(0, shownMax).map((group) => (
          <CauseRow key={group.key} group={group} isCounted={isComplete} chosen={chosen} />
        ))}
      </ul>
      {more > 0 && (
        <p class="aside">
          {more === 1 ? '1 more cause' : `${more} more causes`}, each with fewer orders.
        </p>
      )}
      {!isComplete && (
        <p class="aside">Counted are the newest {number(orders.length)} orders in Error.</p>
      )}
    </section>
  );
}

/** All orders of the cause, also those that the overview has not loaded. */
function ofCause(cause: Cause): Choice {
  const query = { ...emptyQuery, ...causeQuery(cause) };
  const key = causeKey(cause);
  return {
    kind: 'all',
    path: (cursor, limit) => listingPath(query, 0, cursor, limit),
    accepts: (order) => causeKey(causeOf(order)) === key,
  };
}

interface RowProps {
  readonly group: CauseGroup;
  /** True when all orders are counted. */
  readonly isCounted: boolean;
  readonly chosen: Signal<Cause | null>;
}

function CauseRow({ group, isCounted, chosen }: RowProps) {
  const { cause, count, latest } = group;
  const { fault, orderId, updatedAt } = latest;
  const isOne = count === 1 && isCounted;
  const all = isCounted ? `all ${number(count)}` : 'all';
  return (
    <li class="cause">
      <div id={group.key}>
        <p>
          <span class="strong">{fault === null ? 'Stopped' : faultTitle(fault)}</span>{' '}
          {cause.code !== null && <code>{cause.code}</code>}
        </p>
        {fault !== null && <p class="soft">{sentence(fault.message)}</p>}
      </div>
      <p class="cause-orders">
        <a href={isOne ? orderHash(orderId) : ordersHash(causeQuery(cause))}>{ordersText(count)}</a>{' '}
        <span class="soft">
          of {cause.workflow}, the last <Ago at={updatedAt} />
        </span>
      </p>
      {mayOperate() && (
        <button
          class="plain"
          type="button"
          aria-describedby={group.key}
          onClick={() => {
            chosen.value = cause;
          }}
        >
          Resubmit {isOne ? '' : `${all} `}…
        </button>
      )}
    </li>
  );
}
