/** Runs the simulator, its faults and its checkers on the workflows and agents of a user. */

import type { WorkflowDefinition } from '#core/definition/workflow-definition.ts';
import { nextTurn } from '#event-loop/turns.ts';
import type { FaultName } from '#sim/faults/fault-rates.ts';
import { exploreWorkflow } from './explore-workflow.ts';
import { calmWorld, mistakesOf, neverProcessed, notAwaited } from './mistakes.ts';
import { releasesOf, versionName } from './orders/release.ts';
import type { LostPromises } from './process/lost-promises.ts';
import { oneProof } from './process/one-proof.ts';
import { defineProof, type Proof, type ProofOptions } from './proof.ts';
import {
  type Explored,
  NotProvenError,
  type ProofReport,
  type ProvenMistake,
  type ProvenWorkflow,
} from './proof-report.ts';
import { type ProofRun, proofRun } from './proof-run.ts';
import { explanationOf, reportText } from './report-text.ts';
import { cut } from './story/story.ts';
import { notCovered } from './tally/not-covered.ts';
import { tally as emptyTally, type Tally } from './tally/tally.ts';

/**
 * Proves workflows with their agents: simulates many worlds with faults, and checks in each that every order ends, and that the effects
 * at the services are those that its end promises. One proof of a process runs at a time: this one begins when those before it have
 * ended, also where the test of one has ended by its timeout.
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
export function proofReport(
  proof: Proof,
  onProgress: (worlds: number) => void = () => {},
): Promise<ProofReport> {
  return oneProof((lost) => searched(proof, lost, onProgress));
}

async function searched(
  proof: Proof,
  lost: LostPromises,
  onProgress: (worlds: number) => void,
): Promise<ProofReport> {
  const began = performance.now();
  const calms = await calmRuns(proof);
  const faultsFactor = faultsFactorOf(calms);
  const inOneProcess = calms.some(({ longestTryMs }) => longestTryMs > deployedTryMaxMs);
  const tally = emptyTally();
  for (const calm of calms) tally.add(calm.tally);
  const { explored, mistakes: first } = await exploredIn(proof, calms);
  // What goes wrong where nothing fails needs no faults; and worlds whose orders never end take long.
  const broken = calms.find(({ breakages }) => breakages.length > 0);
  let mistakes = broken === undefined ? first : await mistakesOf(proof, broken, 1);
  const faults = new Map<FaultName, number>();
  let [worlds, orders, elapsedMs] = [0, 0, 0];
  const { seeds, firstSeed, workflows } = proof;
  for (let seed = firstSeed; seed < firstSeed + seeds && mistakes.length === 0; seed += 1) {
    const run = await proofRun(proof, { seed, faultsFactor, inOneProcess });
    worlds += 1;
    orders += run.orders;
    elapsedMs += run.elapsedMs;
    for (const [name, times] of run.hits) faults.set(name, (faults.get(name) ?? 0) + times);
    tally.add(run.tally);
    mistakes = (await lostIn(lost)).map((reason) => notAwaited(run, reason));
    if (run.breakages.length > 0) mistakes = await mistakesOf(proof, run, faultsFactor);
    if (worlds % batch === 0) onProgress(worlds);
  }
  if (mistakes.length === 0) mistakes = await neverProcessed(proof, tally);
  const report = {
    ...{ worlds, orders, faults, mistakes, explored },
    workflows: workflows.map((workflow) => provenOf(workflow, tally)),
    notCovered: mistakes.length === 0 ? notCovered(proof, tally, faults.size) : [],
    isProven: mistakes.length === 0,
    hours: elapsedMs / 3_600_000,
    tookMs: performance.now() - began,
  };
  return { ...report, text: reportText(report) };
}

/**
 * A call that takes longer, ms, is only simulated in worlds of one process: the queues of a simulated deployment deliver a request again
 * after a minute at most, also while it is at work, and would be full of copies.
 */
const deployedTryMaxMs = 120_000;

/** Worlds between two reports of progress. */
const batch = 20;

/** Orders of each version, in worlds without faults. */
async function calmRuns(proof: Proof): Promise<readonly ProofRun[]> {
  const runs: ProofRun[] = [];
  for (let release = 0; release < releasesOf(proof.workflows); release += 1)
    runs.push(await proofRun(proof, calmWorld(proof, release)));
  return runs;
}

function faultsFactorOf(calms: readonly ProofRun[]): number {
  const longestMs = Math.max(...calms.map((calm) => calm.longestMs));
  const factor = Math.ceil((longestMs * faultsPerOrder) / usualFaultsMs);
  return Math.min(factorMax, Math.max(1, factor));
}

/** What the first promise that a world lost has failed with. */
async function lostIn(lost: LostPromises): Promise<readonly unknown[]> {
  // Simulations never yield to the event loop by themselves, and lost promises are reported by it.
  await nextTurn();
  return lost.take().slice(0, 1);
}

async function exploredIn(
  { workflows, firstSeed }: Proof,
  calms: readonly ProofRun[],
): Promise<Pick<ProofReport, 'mistakes' | 'explored'>> {
  const explored: Explored[] = [];
  const mistakes: ProvenMistake[] = [];
  const samples = new Map(calms.flatMap((calm) => [...calm.samples]));
  for (const workflow of workflows) {
    const sample = samples.get(versionName(workflow));
    const found = sample && (await exploreWorkflow(workflow, sample));
    if (found === undefined || found === null) continue;
    const { name, version } = workflow;
    explored.push({ workflow: name, version, states: found.states, isComplete: found.complete });
    for (const { rule, message, path } of found.violations) {
      const shortest = { orders: 1, faults: [], story: cut(path) };
      mistakes.push({ seed: firstSeed, rule, message, explanation: explanationOf(rule), shortest });
    }
  }
  return { explored, mistakes };
}

function provenOf(workflow: WorkflowDefinition, tally: Tally): ProvenWorkflow {
  const name = versionName(workflow);
  return {
    ...{ workflow: workflow.name, version: workflow.version },
    orders: tally.count('stored', name),
    processed: tally.count('Processed', name),
    undone: tally.count('Undone', name),
  };
}
