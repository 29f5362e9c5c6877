/** The last hour by minute: submissions, and ends by state. */
import { useSignal } from '@preact/signals';
import type { ActivityDocument } from '#console/api/documents.ts';
import { minuteText } from '#console/parts/instants.ts';
import { isNarrow } from '#console/parts/viewport.ts';
import { type ChartShape, chartShape, type Minute, totals } from './chart-shape.ts';

const series = [
  { name: 'submitted', word: 'Submitted' },
  { name: 'processed', word: 'Processed' },
  { name: 'undone', word: 'Undone' },
  { name: 'error', word: 'Error' },
] as const;

const height = 150;

export function HourChart({ activity }: { readonly activity: ActivityDocument | null }) {
  const pointed = useSignal<number | null>(null);
  const minutes = activity?.minutes ?? [];
  // The drawing is stretched to the page; its own width only decides the thickness of lines.
  const width = isNarrow.value ? 320 : 1_080;
  const shape = chartShape(minutes, { width, height });
  const shown = pointed.value === null ? undefined : minutes[pointed.value];
  return (
    <section class="card" aria-labelledby="hour-title">
      <div class="card-head">
        <h2 id="hour-title">The last hour</h2>
        <p class="aside">
          {shown === undefined ? 'orders a minute' : minuteText(Date.parse(shown.at))}
        </p>
        <Legend minutes={minutes} shown={shown} />
      </div>
      <div class="chart">
        <ol class="chart-scale" aria-hidden="true">
          <li>{shape.top}</li>
          <li>{shape.top / 2}</li>
          <li>0</li>
        </ol>
        <Drawing {...{ shape, width, minutes }} onPoint={(at) => (pointed.value = at)} />
        <ChartHours minutes={minutes} />
      </div>
    </section>
  );
}

interface DrawingProps {
  readonly shape: ChartShape;
  readonly width: number;
  readonly minutes: readonly Minute[];
  readonly onPoint: (minute: number | null) => void;
}

function Drawing({ shape, width, minutes, onPoint }: DrawingProps) {
  const sum = totals(minutes);
  const said = series.map(({ name, word }) => `${word.toLowerCase()} ${sum[name]}`).join(', ');
  return (
    <svg
      class="chart-drawing"
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={`In the last hour: ${said}.`}
      onPointerMove={({ currentTarget, clientX }) => {
        const { left, width: shownWidth } = currentTarget.getBoundingClientRect();
        onPoint(Math.floor(((clientX - left) / shownWidth) * minutes.length));
      }}
      onPointerLeave={() => onPoint(null)}
    >
      <defs>
        <pattern
          id="hatch"
          width="5"
          height="5"
          patternUnits="userSpaceOnUse"
          patternTransform="rotate(45)"
        >
          <rect class="hatch-ground" width="5" height="5" />
          <rect class="hatch-line" width="2" height="5" />
        </pattern>
      </defs>
      <path class="grid" d={`M0 .5H${width}M0 ${height / 2}H${width}M0 ${height - 0.5}H${width}`} />
      {shape.bars.map(({ ending, ...place }) => (
        <rect key={`${place.x}.${ending}`} class={`bar-${ending}`} {...place} />
      ))}
      <path class="line-submitted" d={shape.line} />
    </svg>
  );
}

interface LegendProps {
  readonly minutes: readonly Minute[];
  readonly shown: Minute | undefined;
}

/** The sums of the hour, or the minute that is pointed at. */
function Legend({ minutes, shown }: LegendProps) {
  const counts = shown ?? totals(minutes);
  return (
    <dl class="legend">
      {series.map(({ name, word }) => (
        <div key={name}>
          <dt>
            <span class={`swatch swatch-${name}`} />
            {word}
          </dt>
          <dd class="figures">{counts[name].toLocaleString('en')}</dd>
        </div>
      ))}
    </dl>
  );
}

const every = 15;

function ChartHours({ minutes }: { readonly minutes: readonly Minute[] }) {
  return (
    <ol class="chart-hours" aria-hidden="true">
      {minutes
        .filter((_, place) => place % every === 0)
        .map(({ at }) => (
          <li key={at}>{minuteText(Date.parse(at))}</li>
        ))}
      <li>now</li>
    </ol>
  );
}
