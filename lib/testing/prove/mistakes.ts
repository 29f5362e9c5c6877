/** The mistakes that a proof reports, each with the shortest way to it that was found. */
import type { WorkflowDefinition } from '#core/definition/workflow-definition.ts';
import { releaseOf, releasesOf, versionName } from './orders/release.ts';
import type { Proof } from './proof.ts';
import type { ProvenMistake } from './proof-report.ts';
import { type ProofRun, type ProofRunOptions, proofRun } from './proof-run.ts';
import { explanationOf } from './report-text.ts';
import { calmPlan, faultsOf, shortened } from './shorten.ts';
import { storyOf, withNames } from './story/story.ts';
import type { Tally } from './tally/tally.ts';

/** @param faultsFactor of the run */
export async function mistakesOf(
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

/** A promise that failed in a world, and that no code waited for. */
export function notAwaited({ seed, orders }: ProofRun, reason: unknown): ProvenMistake {
  const what = reason instanceof Error ? reason.message : String(reason);
  return {
    seed,
    rule: 'not-awaited',
    message: `A promise has failed, and nothing waited for it: ${what}`,
    explanation: explanationOf('not-awaited'),
    shortest: { orders, faults: [], story: [] },
  };
}

/**
 * A world without faults, with orders of each workflow of a release. It is the same for each first seed, because the other worlds depend on
 * how long its orders took: a seed that has shown a mistake shows it again where a proof begins with it.
 */
export function calmWorld({ workflows }: Proof, release: number): ProofRunOptions {
  const { setting } = calmPlan;
  const orders = Math.max(setting.orders, releaseOf(workflows, release).length);
  const plan = { ...calmPlan, setting: { ...setting, orders } };
  return { seed: 1, faultsFactor: 1, isPlain: true, inTurn: true, release, plan };
}

/** Nothing is proven of a workflow whose orders all fail. */
export async function neverProcessed(
  proof: Proof,
  tally: Tally,
): Promise<readonly ProvenMistake[]> {
  const { workflows } = proof;
  const mistakes: ProvenMistake[] = [];
  // An early version is in several releases where another workflow has more versions.
  const known = new Set<string>();
  for (let release = 0; release < releasesOf(workflows); release += 1) {
    const failing = releaseOf(workflows, release).filter(
      (each) => tally.count('Processed', versionName(each)) === 0 && !known.has(versionName(each)),
    );
    if (failing.length === 0) continue;
    for (const each of failing) known.add(versionName(each));
    const calm = await proofRun(proof, { ...calmWorld(proof, release), keepStory: true });
    mistakes.push(...failing.map((each) => neverOf(each, calm)));
  }
  return mistakes;
}

function neverOf(workflow: WorkflowDefinition, calm: ProofRun): ProvenMistake {
  const rule = 'never-processed';
  const name = versionName(workflow);
  const failure = calm.failures.get(name);
  const never = `No order of ${name} was Processed, not even where nothing fails.`;
  const about = `${never}${failure === undefined ? '' : ` ${failure}`}`;
  const names = new Map<string, string>();
  const story = storyOf({ trace: calm.story, rule, message: about, names });
  const shortest = { orders: calm.orders, faults: [], story };
  const message = withNames(about, names);
  return { seed: calm.seed, rule, message, explanation: explanationOf(rule), shortest };
}
