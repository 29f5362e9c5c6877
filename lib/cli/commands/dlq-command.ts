/** `reeve dlq`: dead letters, each with the action that follows from the state of its order. */

import { orderSchema } from '#cli/api/response-schemas.ts';
import type { Stack } from '#cli/api/stack.ts';
import { CliError, messageOf } from '#cli/cli-error.ts';
import { type Context, printJson, printLines } from '#cli/context.ts';
import type { DeadLetter, DeadLetterAction, OrderNow } from '#cli/environment.ts';
import { type ExitCode, exitCodes } from '#cli/exit-code.ts';
import { codeOf } from '#cli/output/error-document.ts';
import { tableLines } from '#cli/output/table.ts';
import { plainText } from '#text/plain-text.ts';

export interface RedriveOptions {
  readonly yes?: boolean;
}

interface Judged {
  readonly deadLetter: DeadLetter;
  readonly fate: DeadLetterAction;
  /** The result; null in a preview. */
  readonly outcome: 'sent back' | 'deleted' | 'kept' | 'failed' | null;
}

/** The preview: changes nothing. */
export async function showDeadLetters(context: Context): Promise<ExitCode> {
  const found = await judge(context, stackOf(context));
  await release(found.judged.map(({ deadLetter }) => deadLetter));
  return print(context, found);
}

export async function redrive(context: Context, { yes }: RedriveOptions): Promise<ExitCode> {
  if (yes !== true) return showDeadLetters(context);
  const { judged, isComplete } = await judge(context, stackOf(context));
  const queues = Map.groupBy(judged, ({ deadLetter }) => deadLetter.queue);
  const done = (await Promise.all([...queues.values()].map(carryOutInTurn))).flat();
  const left = done.filter(({ outcome }) => outcome === 'kept' || outcome === 'failed');
  await release(left.map(({ deadLetter }) => deadLetter));
  print(context, { judged: done, isComplete });
  return done.some(({ outcome }) => outcome === 'failed') ? exitCodes.failed : exitCodes.done;
}

/** When this fails, the visibility timeout releases them. */
async function release(deadLetters: readonly DeadLetter[]): Promise<void> {
  await Promise.allSettled(deadLetters.map((deadLetter) => deadLetter.release()));
}

function stackOf({ stack }: Context): Stack {
  if (stack !== null) return stack;
  throw new CliError(
    exitCodes.usage,
    'Dead letters are in the queues of a stack on AWS: give its name with --stack or REEVE_STACK.',
  );
}

interface Found {
  readonly judged: readonly Judged[];
  /** False when a queue may have more messages than one call returns. */
  readonly isComplete: boolean;
}

async function judge(context: Context, { outputs, aws }: Stack): Promise<Found> {
  const output = outputs['DeadLetters'];
  if (output === undefined) {
    throw new CliError(exitCodes.failed, 'The stack has no output DeadLetters. Deploy it again.', {
      reason: 'stack-unusable',
    });
  }
  const { deadLetters, isComplete } = await aws.deadLetters(output).catch((cause: unknown) => {
    throw new CliError(
      exitCodes.failed,
      `The dead letters cannot be read: ${messageOf(cause)}\nCheck your credentials and your rights on the queues, then try again.`,
      { cause },
    );
  });
  const orders = await ordersNow(context, deadLetters).catch(async (error: unknown) => {
    // Otherwise the next run, which often follows at once, would find no dead letters.
    await release(deadLetters);
    throw error;
  });
  const judged = deadLetters.map((deadLetter) => {
    const order = orders.get(deadLetter.subject?.orderId ?? '') ?? null;
    return { deadLetter, fate: deadLetter.fate(order), outcome: null };
  });
  return { judged, isComplete };
}

/** Requests at once: dead letters stay hidden for two minutes only, so their orders are not read one after the other. */
const readsAtOnce = 10;

/** The orders of the dead letters, by id. */
async function ordersNow(
  context: Context,
  deadLetters: readonly DeadLetter[],
): Promise<ReadonlyMap<string, OrderNow | null>> {
  const ids = [...new Set(deadLetters.flatMap(({ subject }) => subject?.orderId ?? []))];
  const orders = new Map<string, OrderNow | null>();
  for (let at = 0; at < ids.length; at += readsAtOnce) {
    const some = ids.slice(at, at + readsAtOnce);
    const found = await Promise.all(some.map((id) => orderNow(context, id)));
    for (const [place, id] of some.entries()) orders.set(id, found[place] ?? null);
  }
  return orders;
}

/** Null when the order does not exist. */
async function orderNow({ reeve }: Context, orderId: string): Promise<OrderNow | null> {
  try {
    const path = `/orders/${encodeURIComponent(orderId)}`;
    return (await reeve({ method: 'GET', path, answer: orderSchema })).value;
  } catch (error) {
    if (error instanceof CliError && unknown.has(codeOf(error.answer))) return null;
    throw error;
  }
}

const unknown: ReadonlySet<string | undefined> = new Set(['order-unknown', 'order-id-malformed']);

/** Of one queue, whose messages stay in sequence. */
async function carryOutInTurn(judged: readonly Judged[]): Promise<readonly Judged[]> {
  const done: Judged[] = [];
  for (const one of judged) done.push(await carryOut(one));
  return done;
}

async function carryOut(judged: Judged): Promise<Judged> {
  const { deadLetter, fate } = judged;
  try {
    switch (fate.kind) {
      case 'redrive':
        await deadLetter.sendBack();
        return { ...judged, outcome: 'sent back' };
      case 'discard':
        await deadLetter.discard();
        return { ...judged, outcome: 'deleted' };
      case 'keep':
        return { ...judged, outcome: 'kept' };
    }
  } catch (error) {
    // The message is still in its queue, so the next run handles it.
    return { ...judged, fate: { ...fate, why: messageOf(error) }, outcome: 'failed' };
  }
}

const intents = { redrive: 'send back', discard: 'delete', keep: 'keep' } as const;
const titles = ['QUEUE', 'ORDER', 'STEP', 'REASON', 'WHAT TO DO', 'WHY'];

function print({ environment, json, paint }: Context, { judged, isComplete }: Found): ExitCode {
  if (json) {
    const deadLetters = judged.map(({ deadLetter, fate, outcome }) => {
      const { queue, kind, reason, subject, body } = deadLetter;
      const shown = { queue, kind, reason, subject, fate: fate.kind, why: fate.why, outcome };
      // A message that an operator must look at is shown whole.
      return fate.kind === 'keep' ? { ...shown, body } : shown;
    });
    printJson(environment, { deadLetters, isComplete });
    return exitCodes.done;
  }
  if (judged.length === 0) {
    printLines(environment, ['No dead letters.']);
    return exitCodes.done;
  }
  const rows = judged.map(({ deadLetter, fate, outcome }) => [
    deadLetter.queue,
    deadLetter.subject?.orderId ?? '',
    deadLetter.subject?.step ?? '',
    plainText(deadLetter.reason),
    outcome ?? intents[fate.kind],
    plainText(fate.why),
  ]);
  const more = isComplete ? [] : ['There may be more: run the command again for the rest.'];
  printLines(environment, [...tableLines(titles, rows, paint), '', total(judged), ...more]);
  return exitCodes.done;
}

function total(judged: readonly Judged[]): string {
  const counts = Map.groupBy(judged, ({ fate, outcome }) => outcome ?? `to ${intents[fate.kind]}`);
  const parts = [...counts].map(([what, { length }]) => `${length} ${what}`);
  return `${judged.length} in all: ${parts.join(', ')}.`;
}
