/** A workflow drawn: boxes in layers, and for an order the state of each. */

import type { StepState, WorkflowStep } from '#console/api/documents.ts';
import { waitingStyle } from '#console/parts/state-words.ts';
import { isNarrow } from '#console/parts/viewport.ts';
import { ScrollBox } from '../parts/scroll-box.tsx';
import { graphLayout } from './graph-layout.ts';

export interface StepStatus {
  readonly state: StepState;
  readonly attempt: number;
  readonly undoFirst?: boolean | undefined;
}

interface Props {
  readonly steps: readonly Pick<WorkflowStep, 'name' | 'agent' | 'after'>[];
  /** Null where no order is meant. */
  readonly states: Readonly<Record<string, StepStatus>> | null;
  readonly label: string;
}

const margin = 6;
const letterWidth = 9;
const wide = { boxWidth: 168, boxHeight: 60, layerGap: 64, boxGap: 22, down: false };
const narrow = { boxWidth: 130, boxHeight: 58, layerGap: 34, boxGap: 12, down: true };

export function StepGraph({ steps, states, label }: Props) {
  const shape = isNarrow.value ? narrow : wide;
  const { width, height, boxes, edges } = graphLayout(steps, shape);
  const stateOf = (name: string) => states?.[name]?.state ?? null;
  const said = steps.map(({ name }) => {
    const status = states?.[name];
    return status === undefined ? name : `${name}: ${waitingStyle(status).word.toLowerCase()}`;
  });
  return (
    <ScrollBox class="graph-box" label={label}>
      <svg
        class="graph"
        viewBox={`${-margin} ${-margin} ${width + 2 * margin} ${height + 2 * margin}`}
        width={width + 2 * margin}
        height={height + 2 * margin}
        role="img"
        aria-label={`${label}. ${said.join(', ')}.`}
      >
        <defs>
          <marker
            id="arrow"
            viewBox="0 0 8 8"
            refX="7"
            refY="4"
            markerWidth="8"
            markerHeight="8"
            orient="auto"
          >
            <path class="arrow-head" d="M1 1L7 4L1 7" />
          </marker>
        </defs>
        {edges.map(({ from, to, path }) => (
          <path
            key={`${from}>${to}`}
            class="edge"
            data-passed={isPassed(stateOf(from)) || undefined}
            d={path}
            marker-end="url(#arrow)"
          />
        ))}
        {boxes.map(({ name, x, y }) => (
          <Box
            key={name}
            {...{ name, x, y, shape }}
            agent={steps.find((step) => step.name === name)?.agent ?? ''}
            status={states?.[name] ?? null}
          />
        ))}
      </svg>
    </ScrollBox>
  );
}

const isPassed = (state: StepState | null) => state === 'Completed' || state === 'Skipped';

interface BoxProps {
  readonly name: string;
  readonly agent: string;
  readonly x: number;
  readonly y: number;
  readonly shape: { readonly boxWidth: number; readonly boxHeight: number };
  readonly status: StepStatus | null;
}

function Box({ name, agent, x, y, shape, status }: BoxProps) {
  const look = status === null ? null : waitingStyle(status);
  const calls = status?.attempt ?? 0;
  const tries = calls > 1 ? `, ${calls} calls` : '';
  return (
    <g
      class="box"
      transform={`translate(${x} ${y})`}
      data-tone={look?.tone}
      data-state={status?.state}
    >
      <title>
        {name}, agent {agent}
        {look !== null && `: ${look.word}`}
      </title>
      <rect width={shape.boxWidth} height={shape.boxHeight} rx="12" />
      <text class="box-name" x="16" y="26">
        {cut(name, shape.boxWidth)}
      </text>
      <text class="box-note" x="16" y="45">
        {look === null ? cut(agent, shape.boxWidth) : `${look.word}${tries}`}
      </text>
      {look !== null && <BoxSign sign={look.sign} x={shape.boxWidth - 30} />}
    </g>
  );
}

const signs = {
  wait: 'M7 2a5 5 0 1 0 0 10a5 5 0 1 0 0-10',
  run: 'M7 2a5 5 0 1 1-5 5',
  check: 'M2.5 7.5l3 3l6-6.5',
  cross: 'M3 3l8 8M11 3l-8 8',
  alert: 'M7 2v6M7 11v.2',
  back: 'M5.5 2.5L2.5 5.5l3 3M2.5 5.5h5.5a3 3 0 0 1 0 6H6',
  skip: 'M3 7h8',
} as const;

function BoxSign({ sign, x }: { readonly sign: keyof typeof signs; readonly x: number }) {
  return (
    <g transform={`translate(${x} 14)`}>
      <path class={`box-sign sign-${sign}`} d={signs[sign]} />
    </g>
  );
}

/** A drawing does not shorten its texts by itself. */
function cut(text: string, width: number): string {
  const lettersMax = Math.floor((width - 40) / letterWidth);
  return text.length > lettersMax ? `${text.slice(0, lettersMax - 1)}…` : text;
}
