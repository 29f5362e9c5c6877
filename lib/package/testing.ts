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
export {
  type Draw,
  defineProof,
  type Proof,
  ProofError,
  type ProofOptions,
} from '#testing/prove/proof.ts';
export {
  NotProvenError,
  type ProofReport,
  type ProvenMistake,
  proofReport,
  prove,
} from '#testing/prove/prove.ts';
export {
  type ServiceClient,
  type ServiceWorld,
  SimulatedServiceError,
  type SimulatedServiceOptions,
  simulatedService,
} from '#testing/prove/simulated-service.ts';
export { soundAgent } from '#testing/prove/sound-agent.ts';
