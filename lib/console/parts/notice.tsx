/** Replaces missing content: the reason, and what to do. */
import type { ComponentChildren } from 'preact';
import type { Loaded } from '#console/api/keep-loaded.ts';
import { sentence } from '#text/sentence.ts';
import { Icon } from './icon.tsx';
import type { IconName } from './icon-paths.ts';

interface Props {
  readonly icon: IconName;
  readonly title: string;
  readonly children?: ComponentChildren;
}

export function Notice({ icon, title, children }: Props) {
  return (
    <div class="notice">
      <Icon name={icon} />
      <p class="notice-title">{title}</p>
      {children !== undefined && <div class="notice-text">{children}</div>}
    </div>
  );
}

/** For a document that is not loaded; empty during the first moment. */
export function NotLoaded({ loaded }: { readonly loaded: Loaded<unknown> }) {
  switch (loaded.kind) {
    case 'shown':
      return null;
    case 'loading':
      return <div class="loading" role="status" aria-label="Loading" />;
    case 'unreachable':
      return (
        <Notice icon="alert" title="Reeve does not answer">
          Is it running, and is the network between? This page continues when it answers.
        </Notice>
      );
    case 'refused':
      return (
        <Notice icon="alert" title={loaded.problem.title}>
          {sentence(loaded.problem.detail)}
        </Notice>
      );
  }
}
