/** Runs the simulator, its faults and its checkers on the workflows and agents of a user. */
import { setImmediate } from 'node:timers/promises';
import type { FaultName } from '#sim/faults/fault-rates.ts';
import { refuseNetwork } from './agents/real-network.ts';
import { exploreWorkflow } from './explore-workflow.ts';
import { catchLostPromises, type LostPromises } from './lost-promises.ts';
import { defineProof, type Proof, type ProofOptions } from './proof.ts';
import { type ProofRun, proofRun } from './proof-run.ts';
import { explanationOf, reportText } from './report-text.ts';
import { calmPlan, faultsOf, shortened } from './shorten.ts';
import { cut, storyOf, withNames } from './story/story.ts';
import { installSources } from './virtual-sources.ts';

/** A mistake that a world has shown. */
export interface ProvenMistake {
  /** Of the first world that showed it: with it as `firstSeed`, the proof begins there. */
  readonly seed: number;
  /** A kind of mistake, such as `effect-left`, or a rule of docs/design.md, such as `R16`. */
  readonly rule: string;
  /** What happened. */
  readonly message: string;
  /** What that means, and what to do. */
  readonly explanation: string;
  /** The shortest way to it that was found. */
  readonly shortest: {
    readonly orders: number;
    /** The faults that happened, with how often. */
    readonly faults: readonly (readonly [name: string, times: number])[];
    /** What happened, line by line, in virtual time. */
    readonly story: readonly string[];
  };
}

/** The exploration of a workflow: an order with one attempt for each call, in which everything that can happen does. */
export interface Explored {
  readonly workflow: string;
  readonly states: number;
  /** False: there are more. */
  readonly isComplete: boolean;
}

/** The result of a proof. */
export interface ProofReport {
  /** Whether no world showed a mistake. */
  readonly isProven: boolean;
  /** How many worlds were simulated. */
  readonly worlds: number;
  readonly orders: number;
  /** Virtual time of all worlds, hours. */
  readonly hours: number;
  /** Real time, ms. */
  readonly tookMs: number;
  /** The workflows that are small enough for every state of an order to be explored. */
  readonly explored: readonly Explored[];
  /** How often each fault happened. */
  readonly faults: ReadonlyMap<string, number>;
  /** Of the first world that showed any. */
  readonly mistakes: readonly ProvenMistake[];
  /** The report for people. */
  readonly text: string;
}

/** A proof has failed; the message is the report. */
export class NotProvenError extends Error {
  readonly report: ProofReport;

  constructor(report: ProofReport) {
    super(report.text);
    this.name = 'NotProvenError';
    this.report = report;
  }
}

/**
 * Proves workflows with their agents: simulates many worlds with faults, and checks in each that every order ends, and that the effects
 * at the services are those that its end promises.
 *
 * @throws {NotProvenError} when a world shows a mistake, with the report as its message
 * @throws {ProofError} see {@link defineProof}
 */
export async function prove(options: ProofOptions): Promise<ProofReport> {
  const report = await proofReport(defineProof(options));
  if (!report.isProven) throw new NotProvenError(report);
  return report;
}

/** Faults last so many times as long as the slowest order takes without them. */
const faultsPerOrder = 4;
const usualFaultsMs = 80_000;
/** Above, a world with days of faults takes seconds. */
const factorMax = 200;

/**
 * The same, with a report in each case.
 *
 * @param onProgress called now and then with the number of worlds so far
 */
export async function proofReport(
  proof: Proof,
  onProgress: (worlds: number) => void = () => {},
): Promise<ProofReport> {
  const uninstall = installSources();
  const allowNetwork = refuseNetwork();
  const lost = catchLostPromises();
  const { stackTraceLimit } = Error;
  // Simulations throw many errors, and their stacks are not used.
  Error.stackTraceLimit = 0;
  try {
    return await searched(proof, lost, onProgress);
  } finally {
    // What the last worlds have lost is theirs.
    await setImmediate();
    Error.stackTraceLimit = stackTraceLimit;
    lost.release();
    allowNetwork();
    uninstall();
  }
}

/** Worlds between two reports of progress. */
const batch = 20;

async function searched(
  proof: Proof,
  lost: LostPromises,
  onProgress: (worlds: number) => void,
): Promise<ProofReport> {
  const began = performance.now();
  const { seeds, firstSeed } = proof;
  const calm = await proofRun(proof, calmWorld(firstSeed));
  const factor = Math.ceil((calm.longestMs * faultsPerOrder) / usualFaultsMs);
  const faultsFactor = Math.min(factorMax, Math.max(1, factor));
  const faults = new Map<FaultName, number>();
  let [worlds, orders, elapsedMs] = [0, 0, 0];
  const { explored, mistakes: first } = await exploredIn(proof, calm);
  let mistakes = first;
  // Worlds whose orders never end take long.
  if (calm.breakages.some(({ rule }) => rule === 'code-throws'))
    mistakes = await mistakesOf(proof, calm, 1);
  const processed = new Set(calm.samples.keys());
  for (let seed = firstSeed; seed < firstSeed + seeds && mistakes.length === 0; seed += 1) {
    const run = await proofRun(proof, { seed, faultsFactor });
    worlds += 1;
    orders += run.orders;
    elapsedMs += run.elapsedMs;
    for (const [name, times] of run.hits) faults.set(name, (faults.get(name) ?? 0) + times);
    for (const workflow of run.samples.keys()) processed.add(workflow);
    // Simulations never yield to the event loop by themselves, and lost promises are reported by it.
    await setImmediate();
    mistakes = lost
      .take()
      .slice(0, 1)
      .map((reason) => notAwaited(run, reason));
    if (run.breakages.length > 0) mistakes = await mistakesOf(proof, run, faultsFactor);
    if (worlds % batch === 0) onProgress(worlds);
  }
  if (mistakes.length === 0) mistakes = await neverProcessed(proof, processed);
  const report = {
    ...{ worlds, orders, faults, mistakes, explored },
    isProven: mistakes.length === 0,
    hours: elapsedMs / 3_600_000,
    tookMs: performance.now() - began,
  };
  return { ...report, text: reportText(report) };
}

async function exploredIn(
  { workflows, firstSeed }: Proof,
  { samples }: ProofRun,
): Promise<Pick<ProofReport, 'mistakes' | 'explored'>> {
  const explored: Explored[] = [];
  const mistakes: ProvenMistake[] = [];
  for (const workflow of workflows) {
    const sample = samples.get(workflow.name);
    const found = sample && (await exploreWorkflow(workflow, sample));
    if (found === undefined || found === null) continue;
    explored.push({ workflow: found.name, states: found.states, isComplete: found.complete });
    for (const { rule, message, path } of found.violations) {
      const shortest = { orders: 1, faults: [], story: cut(path) };
      mistakes.push({ seed: firstSeed, rule, message, explanation: explanationOf(rule), shortest });
    }
  }
  return { explored, mistakes };
}

const withoutStory = (orders: number) => ({ orders, faults: [], story: [] });

function notAwaited({ seed, orders }: ProofRun, reason: unknown): ProvenMistake {
  const what = reason instanceof Error ? reason.message : String(reason);
  return {
    seed,
    rule: 'not-awaited',
    message: `A promise has failed, and nothing waited for it: ${what}`,
    explanation: explanationOf('not-awaited'),
    shortest: withoutStory(orders),
  };
}

/** Nothing is proven of a workflow whose orders all fail. */
async function neverProcessed(
  proof: Proof,
  processed: ReadonlySet<string>,
): Promise<readonly ProvenMistake[]> {
  const { workflows, firstSeed: seed } = proof;
  const failing = workflows.filter(({ name }) => !processed.has(name));
  if (failing.length === 0) return [];
  const rule = 'never-processed';
  const calm = await proofRun(proof, { ...calmWorld(seed), keepStory: true });
  return failing.map(({ name }) => {
    const failure = calm.failures.get(name);
    const about = `No order of ${name} was Processed, not even where nothing fails.${failure === undefined ? '' : ` ${failure}`}`;
    const names = new Map<string, string>();
    const story = storyOf({ trace: calm.story, rule, message: about, names });
    const shortest = { orders: calm.orders, faults: [], story };
    const message = withNames(about, names);
    return { seed, rule, message, explanation: explanationOf(rule), shortest };
  });
}

const calmWorld = (seed: number) => ({ seed, faultsFactor: 1, isPlain: true, plan: calmPlan });

async function mistakesOf(
  proof: Proof,
  run: ProofRun,
  faultsFactor: number,
): Promise<readonly ProvenMistake[]> {
  const short = await shortened(proof, run, faultsFactor);
  const rules = new Set(run.breakages.map(({ rule }) => rule));
  return [...rules].flatMap((rule) => {
    const isIt = (one: { readonly rule: string }) => one.rule === rule;
    // The text of the shortest way, whose order the story has.
    const breakage = short.breakages.find(isIt) ?? run.breakages.find(isIt);
    if (breakage === undefined) return [];
    const names = new Map<string, string>();
    const { message: about } = breakage;
    const story = storyOf({ trace: short.story, rule, message: about, names });
    const shortest = { orders: short.orders, faults: faultsOf(short), story };
    const message = withNames(about, names);
    return [{ seed: run.seed, rule, message, explanation: explanationOf(rule), shortest }];
  });
}
