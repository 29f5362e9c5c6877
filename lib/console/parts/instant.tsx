/** Instants, updated every second; the tooltip is exact. */
import { useComputed } from '@preact/signals';
import { relativeTime } from '#text/relative-time.ts';
import { countdownText, exactText, momentText } from './instants.ts';
import { now } from './server-clock.ts';

interface Props {
  /** ISO 8601. */
  readonly at: string;
}

interface InstantProps extends Props {
  readonly class?: string;
  /** Of an instant and the present one, ms. */
  readonly text: (ms: number, nowMs: number) => string;
}

const agoText = (ms: number, nowMs: number) => relativeTime(ms, Math.max(ms, nowMs));
const untilText = (ms: number, nowMs: number) => countdownText(ms - nowMs);

/** Relative to now. */
export const Ago = ({ at }: Props) => <Instant key={at} at={at} text={agoText} />;

/** The time of day, with the day where it is another one than today. */
export const At = ({ at }: Props) => <Instant key={at} at={at} text={momentText} />;

/** The remaining time, as a countdown. */
export const Until = ({ at }: Props) => (
  <Instant key={at} at={at} text={untilText} class="figures" />
);

/** `at` may be another one each time, so what is computed from it must be too: its key is `at`. */
function Instant({ at, text, ...look }: InstantProps) {
  const ms = Date.parse(at);
  const shown = useComputed(() => text(ms, now.value));
  return (
    <time {...look} dateTime={at} title={exactText(ms)}>
      {shown}
    </time>
  );
}
