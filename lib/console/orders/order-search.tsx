/** Finds orders by order id or correlation id. */
import { useRef } from 'preact/hooks';
import { get } from '#console/api/api-client.ts';
import type { ListDocument } from '#console/api/documents.ts';
import { goTo } from '#console/parts/location.ts';
import { Icon } from '../parts/icon.tsx';
import { foundHash } from './found-hash.ts';

async function find(text: string): Promise<void> {
  const query = new URLSearchParams({ correlationId: text, limit: '2' });
  goTo(foundHash(text, await get<ListDocument>(`/orders?${query}`)));
}

export function OrderSearch() {
  const field = useRef<HTMLInputElement>(null);
  return (
    <search class="search">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          const text = field.current?.value.trim() ?? '';
          if (text !== '') void find(text);
        }}
      >
        <Icon name="search" />
        <input
          ref={field}
          type="search"
          aria-label="Order id or correlation id"
          placeholder="Order id or correlation id"
          autocomplete="off"
          spellcheck={false}
        />
      </form>
    </search>
  );
}
