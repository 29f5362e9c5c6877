/** What a stage means for what holds data. */
import { RemovalPolicy } from 'aws-cdk-lib';

/** `prod` keeps its data whatever happens to the stack; `dev` leaves nothing behind. */
export const stages = ['prod', 'dev'] as const;
export type Stage = (typeof stages)[number];

export const removalOf = (stage: Stage) =>
  stage === 'dev' ? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN;
