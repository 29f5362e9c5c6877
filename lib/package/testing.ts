/** `reeve/testing`: Reeve in tests, with virtual time; and `prove`. */

export { KitError } from '#testing/kit/kit-error.ts';
export {
  type ScriptedAgent,
  type ScriptedCall,
  scriptedAgent,
} from '#testing/kit/scripted-agent.ts';
export type { CallScript } from '#testing/kit/scripted-service.ts';
export { type TestReeve, type TestReeveOptions, testReeve } from '#testing/kit/test-reeve.ts';
export type { Effects } from '#testing/prove/effect-ledger.ts';
export type { Draw, Orders } from '#testing/prove/orders/drawn-details.ts';
export { ProofError } from '#testing/prove/orders/proof-error.ts';
export { defineProof, type Proof, type ProofOptions } from '#testing/prove/proof.ts';
export {
  type Explored,
  NotProvenError,
  type ProofReport,
  type ProvenMistake,
  type ProvenWorkflow,
} from '#testing/prove/proof-report.ts';
export { proofReport, prove } from '#testing/prove/prove.ts';
export { type ServiceWorld, SimulatedServiceError } from '#testing/prove/service-model.ts';
export {
  type ServiceClient,
  type SimulatedServiceOptions,
  simulatedService,
} from '#testing/prove/simulated-service.ts';
export { soundAgent } from '#testing/prove/sound-agent.ts';
