/** The frame of every page: navigation, connection state, theme. */
import type { ComponentChildren } from 'preact';
import { type Connection, connection } from '#console/api/live.ts';
import { principal } from '#console/api/signed-in.ts';
import { Icon } from './icon.tsx';
import { IconButton } from './icon-button.tsx';
import type { IconName } from './icon-paths.ts';
import { route } from './location.ts';
import { isDark, toggleTheme } from './theme.ts';

const places: readonly { name: string; hash: string; icon: IconName; pages: readonly string[] }[] =
  [
    { name: 'Now', hash: '#/', icon: 'pulse', pages: ['now'] },
    { name: 'Orders', hash: '#/orders', icon: 'list', pages: ['orders', 'order'] },
    { name: 'Agents', hash: '#/agents', icon: 'agent', pages: ['agents'] },
    { name: 'Workflows', hash: '#/workflows', icon: 'graph', pages: ['workflows'] },
  ];

export function Shell({ children }: { readonly children: ComponentChildren }) {
  return (
    <>
      <button
        class="skip"
        type="button"
        onClick={() => document.querySelector<HTMLElement>('#main')?.focus()}
      >
        Skip to the page
      </button>
      <header class="top">
        <a class="brand" href="#/" aria-label="Reeve">
          <Mark />
          <span>Reeve</span>
        </a>
        <nav class="places" aria-label="Pages">
          {places.map(({ name, hash, icon, pages }) => (
            <a
              key={name}
              href={hash}
              aria-current={pages.includes(route.value.page) ? 'page' : undefined}
            >
              <Icon name={icon} />
              <span>{name}</span>
            </a>
          ))}
        </nav>
        <LiveSign />
        <Who />
        <ThemeToggle />
      </header>
      <main id="main" tabIndex={-1}>
        {children}
      </main>
    </>
  );
}

function Mark() {
  return (
    <svg class="mark" viewBox="0 0 32 32" width="26" height="26" aria-hidden="true">
      <rect width="32" height="32" rx="9" />
      <path d="M9 10h5c4 0 4 6 8 6M9 22h5c4 0 4-6 8-6" />
      <circle cx="8.5" cy="10" r="2.6" />
      <circle cx="8.5" cy="22" r="2.6" />
      <circle cx="23.5" cy="16" r="2.6" />
    </svg>
  );
}

const words: Readonly<Record<Connection, { word: string; title: string }>> = {
  connecting: { word: 'Connecting', title: 'Connecting to Reeve.' },
  live: { word: 'Live', title: 'The page shows each change immediately.' },
  polling: { word: 'Every 3 s', title: 'This server has no event stream, so the page polls it.' },
  offline: { word: 'Offline', title: 'Reeve does not answer. The page retries automatically.' },
};

function LiveSign() {
  const { word, title } = words[connection.value];
  return (
    <p class="live" data-connection={connection.value} title={title} role="status">
      {word}
    </p>
  );
}

/** Empty without tokens, because then every user is the same operator. */
function Who() {
  const known = principal.value;
  if (known === null || (known.name === 'local' && known.tenant === null)) return null;
  const { name, role, tenant } = known;
  const title = `${name}: ${role}${tenant === null ? '' : `, of tenant ${tenant}`}`;
  return (
    <p class="who clip" title={title}>
      {name}
    </p>
  );
}

function ThemeToggle() {
  return (
    <IconButton
      label={isDark() ? 'Use light colours' : 'Use dark colours'}
      icon={isDark() ? 'sun' : 'moon'}
      onClick={toggleTheme}
    />
  );
}
