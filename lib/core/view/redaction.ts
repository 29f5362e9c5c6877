/**
 * Redaction: an order as it may be shown. Sensitive fields of details, inputs and outputs are replaced,
 * and so is what they hold wherever else it turns up, because services quote what they were sent.
 * Of a workflow that is not known nobody can say what is sensitive: then all of it is.
 */

import type { OrderContext } from '#core/decide/start-step.ts';
import { correctedDetails, outputOf, stepContext } from '#core/decide/step-context.ts';
import type { FieldPath } from '#core/definition/sensitive.ts';
import type { StepDefinition } from '#core/definition/workflow-definition.ts';
import type { Fault } from '#core/model/fault.ts';
import { isList, isObject, type JsonValue } from '#core/model/json.ts';
import type { ProcessRecord, StepRecord } from '#core/model/record.ts';

/** Stands where something sensitive was. */
export const redacted = '[redacted]';

/** Shorter values are no secrets, and turn up anywhere by chance. */
const quotedLengthMin = 4;

export interface Redaction {
  readonly details: JsonValue;
  /** What the step's agent is asked; null when that cannot be told yet. */
  input(step: StepRecord): JsonValue;
  /** What the step gave; null when it has given nothing. */
  output(step: StepRecord): JsonValue;
  fault<Kind extends Fault>(fault: Kind): Kind;
}

export function redaction(record: ProcessRecord, known: OrderContext | null): Redaction {
  if (known === null) return ofUnknown;
  const { definition, details: submitted } = known;
  const details = correctedDetails(submitted, record.history);
  const inputs = definition.steps.map((step) => inputOf(record, submitted, step));
  const secrets = secretsOf(record, known, inputs);
  const shown = (document: JsonValue, ways: readonly FieldPath[]) =>
    unquoted(
      ways.reduce((left, way) => without(left, way), document),
      secrets,
    );
  const at = (step: StepRecord) => definition.steps.findIndex(({ name }) => name === step.name);
  return {
    details: shown(details, definition.sensitive(details)),
    input(step) {
      const input = inputs[at(step)] ?? null;
      return shown(input, definition.steps[at(step)]?.sensitive.input(input) ?? [[]]);
    },
    output(step) {
      const output = outputOf(step.progress) ?? null;
      return shown(output, definition.steps[at(step)]?.sensitive.output(output) ?? [[]]);
    },
    fault: (fault) => ({
      ...fault,
      code: unquotedText(fault.code, secrets),
      message: unquotedText(fault.message, secrets),
    }),
  };
}

const ofUnknown: Redaction = {
  details: redacted,
  input: () => redacted,
  output: ({ progress }) => (outputOf(progress) === undefined ? null : redacted),
  fault: (fault) => ({ ...fault, message: redacted }),
};

/** Null when the steps before it have not given what it needs, or its code fails. */
function inputOf(record: ProcessRecord, submitted: JsonValue, step: StepDefinition): JsonValue {
  try {
    return step.input(stepContext(record, submitted, step)) ?? null;
  } catch {
    return null;
  }
}

/** Whatever is sensitive in the order, as texts, the longest first. */
function secretsOf(
  record: ProcessRecord,
  { definition, details: submitted }: OrderContext,
  inputs: readonly JsonValue[],
): readonly string[] {
  const found = new Set<string>();
  const collect = (document: JsonValue, ways: readonly FieldPath[]) => {
    for (const way of ways) for (const text of textsIn(part(document, way))) found.add(text);
  };
  // Those before a correction as well: what was refused is as secret as what was taken.
  for (const [at, entry] of record.history.entries()) {
    if (entry.type !== 'submit' && entry.type !== 'resubmit') continue;
    const details = correctedDetails(submitted, record.history.slice(0, at + 1));
    collect(details, definition.sensitive(details));
  }
  for (const [at, { sensitive }] of definition.steps.entries()) {
    const input = inputs[at] ?? null;
    collect(input, sensitive.input(input));
    const progress = record.steps[at]?.progress;
    const output = (progress && outputOf(progress)) ?? null;
    collect(output, sensitive.output(output));
  }
  return [...found]
    .filter((text) => text.length >= quotedLengthMin && !redacted.includes(text))
    .sort((a, b) => b.length - a.length);
}

function part(document: unknown, way: FieldPath): unknown {
  return way.reduce<unknown>(
    (value, name) => Object.entries(value ?? {}).find(([key]) => key === name)?.[1],
    document,
  );
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string' || typeof value === 'number') return [String(value)];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

function without(document: JsonValue, way: FieldPath): JsonValue {
  const [name, ...rest] = way;
  if (name === undefined) return document === null ? null : redacted;
  return mapped(document, (inner, key) => (key === name ? without(inner, rest) : inner));
}

function unquoted(document: JsonValue, secrets: readonly string[]): JsonValue {
  if (typeof document === 'string') return unquotedText(document, secrets);
  if (typeof document === 'number') return secrets.includes(String(document)) ? redacted : document;
  return mapped(document, (inner) => unquoted(inner, secrets));
}

function unquotedText(text: string, secrets: readonly string[]): string {
  return secrets.reduce((left, secret) => left.replaceAll(secret, redacted), text);
}

function mapped(
  document: JsonValue,
  change: (inner: JsonValue, key: string) => JsonValue,
): JsonValue {
  if (isList(document)) return document.map((inner, at) => change(inner, String(at)));
  if (!isObject(document)) return document;
  return Object.fromEntries(
    Object.entries(document).map(([key, inner]) => [
      key,
      inner === undefined ? undefined : change(inner, key),
    ]),
  );
}
