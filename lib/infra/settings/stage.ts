/** What a stage means for resources with data. */
import { RemovalPolicy } from 'aws-cdk-lib';

/** `prod` keeps its data when the stack is deleted; `dev` deletes it. */
export const stages = ['prod', 'dev'] as const;
/** See {@link stages}. */
export type Stage = (typeof stages)[number];

/** What happens to resources with data when the stack is deleted. */
export const removalOf = (stage: Stage) =>
  stage === 'dev' ? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN;
