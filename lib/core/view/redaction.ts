/**
 * Redaction of orders for output. It replaces the sensitive fields of details, inputs and outputs, and
 * their values wherever else they occur, because services quote their input. When the workflow is unknown,
 * everything is sensitive.
 */

import type { OrderContext } from '#core/decide/start-step.ts';
import { correctedDetails, outputOf, stepContext } from '#core/decide/step-context.ts';
import type { FieldPath } from '#core/definition/sensitive/sensitivity.ts';
import type { StepDefinition } from '#core/definition/workflow-definition.ts';
import type { Fault } from '#core/model/fault.ts';
import { isList, isObject, type JsonValue } from '#core/model/json.ts';
import type { ProcessRecord, StepRecord } from '#core/model/record.ts';
import { redacted } from './redacted.ts';

/** The minimum length of values that are replaced elsewhere: shorter ones occur by chance. */
const quotedLengthMin = 4;

/** The redacted parts of one order. */
export interface Redaction {
  readonly details: JsonValue;
  /** The input of the step; null while it cannot be computed. */
  input(step: StepRecord): JsonValue;
  /** The output of the step; null when there is none. */
  output(step: StepRecord): JsonValue;
  fault<Kind extends Fault>(fault: Kind): Kind;
}

/** @param known null when the definition is unknown */
export function redaction(record: ProcessRecord, known: OrderContext | null): Redaction {
  if (known === null) return ofUnknown;
  const { definition, details: submitted } = known;
  const details = correctedDetails(submitted, record.history);
  const inputs = definition.steps.map((step) => inputOf(record, submitted, step));
  const secrets = secretsOf(record, known, inputs);
  const shown = (document: JsonValue, paths: readonly FieldPath[]) =>
    unquoted(
      paths.reduce((left, path) => without(left, path), document),
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

/** Null when outputs that it needs are missing, or its code fails. */
function inputOf(record: ProcessRecord, submitted: JsonValue, step: StepDefinition): JsonValue {
  try {
    return step.input(stepContext(record, submitted, step)) ?? null;
  } catch {
    return null;
  }
}

/** All sensitive values of the order as texts, the longest first. */
function secretsOf(
  record: ProcessRecord,
  { definition, details: submitted }: OrderContext,
  inputs: readonly JsonValue[],
): readonly string[] {
  const found = new Set<string>();
  const collect = (document: JsonValue, paths: readonly FieldPath[]) => {
    for (const path of paths) for (const text of textsIn(part(document, path))) found.add(text);
  };
  // The details before each correction are sensitive as well.
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

function part(document: unknown, path: FieldPath): unknown {
  return path.reduce<unknown>(
    (value, name) => Object.entries(value ?? {}).find(([key]) => key === name)?.[1],
    document,
  );
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string' || typeof value === 'number') return [String(value)];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

function without(document: JsonValue, path: FieldPath): JsonValue {
  const [name, ...rest] = path;
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
