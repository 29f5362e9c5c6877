/** An instant as relative time, updated every second; the tooltip is exact. */
import { useComputed } from '@preact/signals';
import type { TargetedPointerEvent } from 'preact';
import { relativeTime } from '#text/relative-time.ts';
import { clockText, countdownText, exactText } from './instants.ts';
import { now } from './server-clock.ts';

interface Props {
  /** ISO 8601. */
  readonly at: string;
}

function showExactTime({ currentTarget }: TargetedPointerEvent<HTMLTimeElement>): void {
  currentTarget.title = exactText(Date.parse(currentTarget.dateTime));
}

/** `at` may be another one each time, so what is computed from it must be too. */
export function Ago({ at }: Props) {
  return <Ticking key={at} at={at} />;
}

function Ticking({ at }: Props) {
  const ms = Date.parse(at);
  const text = useComputed(() => relativeTime(ms, Math.max(ms, now.value)));
  return (
    <time dateTime={at} onPointerEnter={showExactTime}>
      {text}
    </time>
  );
}

/** The time of day. */
export function At({ at }: Props) {
  const ms = Date.parse(at);
  return (
    <time dateTime={at} onPointerEnter={showExactTime}>
      {clockText(ms)}
    </time>
  );
}

/** The remaining time, as a countdown. */
export function Until({ at }: Props) {
  return <Countdown key={at} at={at} />;
}

function Countdown({ at }: Props) {
  const ms = Date.parse(at);
  const text = useComputed(() => countdownText(ms - now.value));
  return (
    <time class="figures" dateTime={at} onPointerEnter={showExactTime}>
      {text}
    </time>
  );
}
