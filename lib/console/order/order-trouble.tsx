/** The fault with its code, and what an operator can do. */

import type { Order } from '#console/api/documents.ts';
import { sentence } from '#text/sentence.ts';
import { Icon } from '../parts/icon.tsx';
import { effectWords, faultTitle, remedy } from './fault-words.ts';

export function OrderTrouble({ order }: { readonly order: Order }) {
  const { fault, processState } = order;
  if (fault === null || processState === 'Processed') return null;
  return (
    <section
      class="trouble"
      data-tone={processState === 'Error' ? 'bad' : 'back'}
      aria-label="Fault"
    >
      <Icon name={processState === 'Error' ? 'alert' : 'back'} />
      <div>
        <p class="strong">
          {faultTitle(fault)} <code>{fault.code}</code>
        </p>
        <p>
          {sentence(fault.message)} {effectWords(fault)}
        </p>
        <p class="soft">{remedy(order)}</p>
      </div>
    </section>
  );
}
