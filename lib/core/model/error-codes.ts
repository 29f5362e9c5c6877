/**
 * The codes of all errors that Reeve raises, by the class of the error, with their meanings: docs/reference.md
 * is generated from this table. Only types of it are imported by the code that raises errors.
 */
// Stryker disable all: these are sentences for people.

/** All codes, by class. */
export const errorCodes = {
  ReeveError: {
    'assertion-failed': 'Something that Reeve relies on is not true: this is a defect of Reeve.',
    'backup-damaged': 'The file is not a backup, or it is damaged; nothing was restored.',
    'bundling-failed':
      'The code of the functions cannot be bundled, or its workflows cannot be loaded.',
    'channels-invalid': 'The file of `REEVE_CHANNELS` cannot be read, or it is not valid.',
    'concurrency-indivisible':
      'The `concurrency` of an agent is too small to be divided over the priority classes.',
    'config-invalid': 'An environment variable has a value that is not allowed.',
    'console-unbuilt': 'The files of the console have not been built on the machine that deploys.',
    contention: 'Other writers changed an order again and again during one event; it is retried.',
    'cursor-invalid': 'The cursor was not returned by a listing of this Reeve.',
    'dead-letter-visible':
      'A dead letter was read too long ago to be sent back: another run may have handled it.',
    'definition-missing':
      'The data have orders that have not ended, of workflows that the module of `reeve dev` does not export as they were.',
    'data-exists': 'There are data in the directory that a backup would replace.',
    'data-unusable': 'The data directory cannot be created or opened.',
    'details-schema-failed':
      'The schema of the details of a workflow throws, or validates asynchronously: correct the schema.',
    'esbuild-missing':
      'The package esbuild, which bundles the functions, is not installed on the machine that deploys.',
    'event-unknown': 'A function was invoked with an event that is no batch of its event source.',
    'file-exists': 'The file that a backup would create exists.',
    'file-missing': 'The data directory has no database.',
    'file-unusable': 'The system refuses the path: the same call fails again.',
    'host-unusable': 'The address of the API is unknown, or none of this machine.',
    'id-malformed': 'A name or an id does not have the form that is allowed.',
    'identify-missing': 'The API is to be open to other machines, and identifies no principals.',
    'module-unusable': 'A module of the user cannot be loaded, or exports no workflow.',
    'no-dead-letter-queue': 'The function does not know the dead-letter queue of a queue it reads.',
    'no-source': 'A dead-letter queue has no queue to which its messages could be sent back.',
    'node-unsupported': 'The Node that runs is too old for Reeve.',
    'not-a-scheduler': 'A process that starts no steps was asked to: this is a defect of Reeve.',
    'option-range':
      'A number in the options of `startLocalReeve` or `serveApi`, or the `concurrency` of an agent, is out of its range.',
    'order-unknown': 'An order is not stored: it never was, or it was deleted after its end.',
    'outputs-unknown': 'The output `DeadLetters` of the stack cannot be read.',
    'port-taken': 'The API cannot listen on its address.',
    'queue-arn-invalid': 'The source of an event is not the ARN of an SQS queue.',
    'reply-to-unknown': 'An order names a response channel that is not registered any more.',
    'secret-invalid': 'The secret of a webhook does not have the required form.',
    'settings-invalid':
      'A parameter of the stack or a property of the construct is unknown, missing or not valid.',
    'stack-unknown': 'CloudFormation does not find the stack, or does not let the caller read it.',
    'store-in-use': 'Another process uses the data.',
    'store-unusable': 'The database cannot be opened.',
    'suppliers-failed': 'The simulated suppliers did not start.',
    'tenant-weight-range': 'The weight of a tenant is out of its range.',
    'tokens-missing':
      'No file of tokens is set, but the API is open to other machines or `REEVE_TOKEN` is set.',
    'tokens-unusable': 'The file of `REEVE_TOKENS` cannot be read, or it is not valid.',
    'workflow-mismatch':
      'The workflow that was given is not that of the order, or not as it was at its submission.',
  },
  DefinitionError: {
    'after-cyclic': 'Steps come after each other in a cycle.',
    'after-twice': 'A step lists another one twice in its `after`.',
    'after-unknown': 'A step comes after a step that the workflow does not have.',
    'agent-missing': 'A step needs an agent that was not given.',
    'agent-twice': 'Two implementations of one agent were given.',
    'endpoints-invalid':
      'The `endpoints` of an agent are none, have one address twice, or a weight out of its range.',
    'limit-invalid':
      'A limit of an agent has a number that is out of its range, or limits nothing.',
    'failover-unused':
      'The pool of a step undoes it first, and the step is irreversible or has one round of attempts.',
    'on-late-unused': 'A workflow has `onLate`, and no `completeWithin`.',
    'options-invalid':
      'An option of a definition, of the code of an agent, of `startLocalReeve` or of `serveApi` is missing, of a wrong kind, or not known.',
    'pool-invalid':
      'A member of a pool has a weight that is out of its range, no member has one, an agent or another pool has the name of a pool or of a domain of it, a member is asked for that the pool does not have, or a pool with `undo-first` has no undo or one domain.',
    'policy-range': 'A number in the policy of a step or a workflow is out of its range.',
    'queue-missing': 'There is no queue for the priority of an order, and none for `normal`.',
    'record-too-large': 'The largest order of the workflow would not fit its record.',
    'request-too-large': 'The largest input of a step would not fit its request.',
    'singleton-invalid':
      'The `singleton` of a workflow has no function as its `key`, a rule that is unknown, or durations that its rule does not allow.',
    'step-count': 'A workflow has no step, or too many.',
    'step-twice': 'Two steps of a workflow have the same name.',
    'undo-impossible':
      'An irreversible step says that it is undone when its attempts are exhausted.',
    'undo-mismatch': 'The contract of an agent and its code disagree about whether it has an undo.',
    'undo-missing': 'The agent of a step that must be undone offers no undo.',
    'undo-unused': 'A step that is never undone has a policy for its undo.',
    'version-invalid': 'The version of a workflow is not a positive integer.',
    'version-twice': 'Two different definitions have the same name and version.',
  },
  SubmissionError: {
    'details-invalid': 'The details of an order are not what its workflow accepts.',
    'key-reused': 'The key of a submission was used for another one.',
    'option-invalid': 'An option of a submission is unknown, of a wrong kind, or out of its range.',
    overloaded: 'More orders wait than can be begun in time: submit it again later.',
    'reply-to-unknown': 'A submission names a response channel that is not registered.',
    'singleton-full': 'Too many orders of one singleton key have not ended: submit it again later.',
    'singleton-key-failed': 'The singleton key of an order cannot be computed.',
    'tenant-over-share':
      'Too many orders of the tenant wait, and others wait too: submit it again later.',
    'workflow-unknown': 'The workflow of a submission is not one of those that run.',
  },
  CorruptDataError: {
    'attribute-unknown': 'An attribute of an item has a type that Reeve does not write.',
    'coordination-corrupt': 'What the Coordination table holds for a shard cannot be read.',
    'form-unknown': 'A stored value is of a kind that this release does not know.',
    'instant-impossible': 'A stored time is not a date.',
    'item-corrupt': 'A process record has no time of its submission.',
    'item-foreign': 'A table contains an item whose key is not an order id.',
    'line-corrupt': 'The line of the orders of a singleton key cannot be read.',
    'message-malformed': 'A message of a FIFO queue cannot be read.',
    'order-corrupt': 'The details of a stored order cannot be read.',
    'record-corrupt': 'A process record cannot be read.',
    'row-corrupt': 'A row of the database cannot be read.',
    'row-damaged': 'A row of the database is not as it was written.',
    'store-damaged':
      'The database is damaged or incomplete, is missing beside its log, or does not belong to it.',
    'stream-record-corrupt': 'A record of the change stream cannot be read.',
  },
  NewerDataError: {
    'record-newer': 'A newer release wrote the process record; it continues the order.',
  },
  UnavailableError: {
    'aws-unavailable': 'An AWS service did not perform a request; it may do so later.',
    'backup-failed': 'The backup could not be made or checked.',
    'deletes-throttled': 'DynamoDB did not delete all orders of a batch, or what belongs to them.',
    'disk-full': 'The disk has no space for a file.',
    'event-unsent': 'EventBridge did not accept an event.',
    'file-failed': 'The system failed at a file for a reason that may pass.',
    'line-contended': 'Other submissions of a singleton key came first, again and again.',
    'messages-not-hidden': 'SQS did not change the visibility timeout of messages.',
    'messages-unsent': 'SQS did not accept messages, and may accept them later.',
    'not-running': 'No Reeve runs on the data.',
    'order-expiring':
      'An order with the key of the submission has expired, and its details are not deleted yet.',
    'reads-throttled': 'DynamoDB did not return all items of a batch.',
    'secret-unread': 'A secret cannot be read or is not a text.',
    'store-closed': 'The database is closed, because the process ends.',
    'store-full': 'The disk has no space for the database.',
    'store-unavailable': 'The disk or SQLite refused a call.',
    'sweep-unwritten': 'Orders that a sweep or a restart recovers could not be written.',
  },
  RefusedError: {
    'aws-refused': 'An AWS service refuses a request, and would refuse it again.',
    'message-too-large': 'A message is larger than a queue accepts.',
    'messages-unsent': 'SQS refuses messages, and would refuse them again.',
    'store-refused': 'SQLite does not store a value.',
  },
  DeliveryError: {
    'webhook-refused': 'The receiver of a webhook gave an answer other than 2xx.',
    'webhook-unreachable':
      'The receiver of a webhook cannot be reached, or did not answer in time.',
  },
  TransientFault: {
    'answer-garbled': 'The service answered the shipped agents what its contract excludes.',
    'complete-by-passed': 'The call had no result at the deadline of its step.',
    'probe-unanswered': 'The service did not answer the call by which its circuit is tested.',
    'process-ended': 'The process of the agent ends.',
    unreachable: 'The service cannot be reached (`httpService`).',
  },
  ApiError: {
    'answer-unknown':
      'The answer is none of this version of Reeve, such as the page of a proxy or a redirect, which is not followed.',
    'option-range': 'A number in the options of `reeveClient` is out of its range.',
    'options-invalid': '`reeveClient` got an option that is not known.',
    unreachable: 'There was no answer, in one request or in all those of `retryForMs`.',
    'url-invalid': 'The address does not begin with http:// or https://.',
  },
  KitError: {
    'agent-unbound': 'A scripted agent was used that is given to no `testReeve`.',
    'order-endless': 'An order does not end within ten years of virtual time, or a million events.',
    'reeve-killed': 'Reeve was killed by the test, and not started again.',
    'reeve-running': 'Reeve was to be started again, and was not killed before.',
    'time-range': 'A time is not a whole number of milliseconds in its range.',
  },
  ProofError: {
    'details-invalid': 'A workflow does not accept the details that `orders` returns for it.',
    'orders-invalid': 'The option `orders` is no function, or it throws.',
    'proof-empty': 'There is no workflow to be proven.',
    'seeds-range': 'The seeds are not whole numbers of 1 or more.',
  },
  SimulatedServiceError: {
    'simulated-service-invalid':
      'The model of a service, or the output of a sound agent, has the wrong form, or its `takes` is out of its range.',
    'simulated-service-outside':
      'A simulated service was called by other code than that of agents which `prove` runs.',
  },
} as const;

/** The codes of one class of errors. */
export type ErrorCode<Class extends keyof typeof errorCodes> = keyof (typeof errorCodes)[Class] &
  string;
