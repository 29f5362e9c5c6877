/** Goes to the order of an id. */
import { useRef } from 'preact/hooks';
import { Icon } from './icon.tsx';
import { goTo } from './location.ts';
import { orderHash } from './routes.ts';

export function OrderSearch() {
  const field = useRef<HTMLInputElement>(null);
  return (
    <search class="search">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          const orderId = field.current?.value.trim() ?? '';
          if (orderId !== '') goTo(orderHash(orderId));
        }}
      >
        <Icon name="search" />
        <input
          ref={field}
          type="search"
          aria-label="Order id"
          placeholder="Go to an order by its id"
          autocomplete="off"
          spellcheck={false}
        />
      </form>
    </search>
  );
}
