/** What a stage means for resources with data. */
import { RemovalPolicy } from 'aws-cdk-lib';

/** `prod` keeps its data when the stack is deleted; `dev` deletes it. */
export const stages = ['prod', 'dev'] as const;
export type Stage = (typeof stages)[number];

export const removalOf = (stage: Stage) =>
  stage === 'dev' ? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN;
