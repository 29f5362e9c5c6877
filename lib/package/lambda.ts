/**
 * `reeve/lambda`: the handlers of the functions, for those who deploy by other means than the construct, such as SAM, SST or
 * Terraform. docs/aws.md has the variables that each needs.
 */
export { type AgentOption, agentHandler } from '../../lambdas/agent-handler.ts';
export { frontDoorHandler, type HttpAnswer } from '../../lambdas/front-door.ts';
export { notifierHandler } from '../../lambdas/notifier.ts';
export { schedulerHandler } from '../../lambdas/scheduler.ts';
export { type Secret, secret } from '../../lambdas/secret.ts';
export { submissionHandler } from '../../lambdas/submission.ts';
export { supervisorHandler } from '../../lambdas/supervisor.ts';
export { webhookHandler } from '../../lambdas/webhook.ts';
export type { WorkflowsOption } from '../../lambdas/workflows-option.ts';
export type {
  BatchResponse,
  Invocation,
  LambdaHandler,
  QueueEvent,
  QueueMessage,
  StreamEvent,
  StreamImage,
  StreamRecord,
} from '../aws/lambda-events.ts';
