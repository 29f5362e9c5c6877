/** The order's attempts over time: retries, cool-downs, late answers, undo. */

import type { Order } from '#console/api/documents.ts';
import { clockText, lengthText } from '#console/parts/instants.ts';
import { now } from '#console/parts/server-clock.ts';
import { Icon } from '../parts/icon.tsx';
import type { Bar } from './bar.ts';
import { barStyle, barsShown } from './bar-style.ts';
import { type TimeScale, timeScale } from './time-scale.ts';
import { type Lane, type Timeline, timeline } from './timeline.ts';

interface Props {
  readonly order: Order;
}

/** The minimum width, so that a bar that has just begun is visible, ms. */
const widthMinMs = 50;

export function Gantt({ order }: Props) {
  const line = timeline(order);
  const end = line.to ?? Math.max(now.value, line.from + widthMinMs);
  const busy = line.lanes.flatMap(({ bars }) =>
    bars.map(({ from, to }) => ({ from, to: Math.min(to ?? end, Math.max(end, from)) })),
  );
  const scale = timeScale({ from: line.from, to: Math.max(end, line.from + widthMinMs) }, busy);
  return (
    <section class="card" aria-labelledby="timeline-title">
      <div class="card-head">
        <h2 id="timeline-title">Timeline</h2>
        <p class="aside">
          {lengthText(end - line.from)}
          {line.to === null ? ' so far' : ' in all'}
        </p>
        <Legend line={line} />
      </div>
      <div class="gantt">
        <Ticks scale={scale} from={line.from} />
        <ol class="lanes" aria-label="Steps over time">
          {line.lanes.map((lane) => (
            <LaneRow key={lane.step} lane={lane} scale={scale} end={end} />
          ))}
        </ol>
        <Marks line={line} scale={scale} />
      </div>
    </section>
  );
}

const share = (part: number) => `${(part * 100).toFixed(3)}%`;

/** Farther to the right, the label of a tick would not fit beside it on a phone. */
const labelledMax = 0.75;

function Ticks({ scale, from }: { readonly scale: TimeScale; readonly from: number }) {
  return (
    <div class="ticks" aria-hidden="true">
      {scale.ticks.map(({ left, ms }) => (
        <span key={ms} class="tick" style={{ left: share(left) }}>
          {left <= labelledMax && <span>{ms === 0 ? clockText(from) : `+${lengthText(ms)}`}</span>}
        </span>
      ))}
      {scale.breaks.map(({ left, width, ms }) => (
        <span key={left} class="break" style={{ left: share(left), width: share(width) }}>
          <span>{lengthText(ms)}</span>
        </span>
      ))}
    </div>
  );
}

interface LaneProps {
  readonly lane: Lane;
  readonly scale: TimeScale;
  readonly end: number;
}

function LaneRow({ lane, scale, end }: LaneProps) {
  return (
    <li class="lane">
      <span class="lane-name" title={`agent ${lane.agent}`}>
        {lane.step}
      </span>
      <span class="lane-bars">
        {lane.bars.map((bar) => (
          <BarShape key={`${bar.kind}.${bar.from}.${bar.attempt}`} {...{ bar, scale, end }} />
        ))}
      </span>
    </li>
  );
}

interface BarProps {
  readonly bar: Bar;
  readonly scale: TimeScale;
  readonly end: number;
}

function BarShape({ bar, scale, end }: BarProps) {
  const left = scale.place(bar.from);
  const width = scale.place(Math.min(bar.to ?? end, Math.max(end, bar.from))) - left;
  const { said, icon } = barStyle(bar, end);
  return (
    <span
      class="bar"
      role="img"
      aria-label={said}
      title={said}
      data-kind={bar.kind}
      data-action={bar.action}
      data-late={bar.late || undefined}
      style={{ left: share(left), width: share(width) }}
    >
      <Icon name={icon} />
    </span>
  );
}

function Marks({ line, scale }: { readonly line: Timeline; readonly scale: TimeScale }) {
  return (
    <div class="marks">
      {line.marks.map(({ at, kind, title }) => (
        <span
          key={at}
          class="mark-line"
          role="img"
          data-kind={kind}
          aria-label={`${title}, ${clockText(at)}`}
          title={`${title}, ${clockText(at)}`}
          style={{ left: share(scale.place(at)) }}
        />
      ))}
    </div>
  );
}

function Legend({ line }: { readonly line: Timeline }) {
  return (
    <ul class="legend">
      {barsShown(line).map(({ word, kind, action, late }) => (
        <li key={word}>
          <span
            class="bar bar-sample"
            data-kind={kind}
            data-action={action}
            data-late={late || undefined}
          />
          {word}
        </li>
      ))}
    </ul>
  );
}
