/** The known workflows: graph, policies and live orders of each version. */
import type {
  ActivityDocument,
  Workflow,
  WorkflowStep,
  WorkflowsDocument,
} from '#console/api/documents.ts';
import { useActivity } from '#console/api/use-activity.ts';
import { useDocument } from '#console/api/use-document.ts';
import { lengthText } from '#console/parts/instants.ts';
import { ordersHash } from '#console/parts/page-paths.ts';
import { coolDownText, deadlineText, undoText } from '#console/parts/policy-text.ts';
import { StepGraph } from '../chart/step-graph.tsx';
import { ColumnHeads } from '../parts/column-heads.tsx';
import { Icon } from '../parts/icon.tsx';
import { Notice, NotLoaded } from '../parts/notice.tsx';
import { ScrollBox } from '../parts/scroll-box.tsx';

/** As the activity of the other pages; a document that has not changed is not sent again. */
const restMs = 1_000;
const everyMs = 5_000;

export function WorkflowsPage() {
  const loaded = useDocument<WorkflowsDocument>('/workflows', { restMs, everyMs }).value;
  const activity = useActivity().value;
  const counts = activity.kind === 'shown' ? activity.body.workflows : null;
  return (
    <div class="page">
      <div class="page-head">
        <h1>Workflows</h1>
      </div>
      <NotLoaded loaded={loaded} />
      {loaded.kind === 'shown' && loaded.body.workflows.length === 0 && (
        <Notice icon="graph" title="No workflows">
          Define one with <code>defineWorkflow</code> and start Reeve with it.
        </Notice>
      )}
      {loaded.kind === 'shown' &&
        loaded.body.workflows.map((workflow) => (
          <WorkflowCard
            key={`${workflow.name}@${workflow.version}`}
            workflow={workflow}
            orders={ordersOf(counts, workflow)}
          />
        ))}
    </div>
  );
}

type Counts = ActivityDocument['workflows'][number]['orders'];

function ordersOf(counts: ActivityDocument['workflows'] | null, workflow: Workflow): Counts | null {
  const found = counts?.find(
    ({ name, version }) => name === workflow.name && version === workflow.version,
  );
  return found?.orders ?? null;
}

interface CardProps {
  readonly workflow: Workflow;
  readonly orders: Counts | null;
}

function WorkflowCard({ workflow, orders }: CardProps) {
  const { name, version, fingerprint, deadline, steps } = workflow;
  const id = `workflow-${name}-${version}`;
  return (
    <section class="card" aria-labelledby={id}>
      <div class="card-head">
        <h2 id={id}>
          {name} <span class="soft">version {version}</span>
        </h2>
        <p class="aside" title="Changes with the steps, their order and their policies">
          fingerprint <code>{fingerprint.slice(0, 12)}</code>
        </p>
        {deadline && <p class="aside">{deadlineText(deadline)}</p>}
        {orders !== null && (
          <p class="in-flight">
            <a href={ordersHash({ workflow: name })}>
              {(orders.Pending + orders.Processing).toLocaleString('en')} in flight
            </a>
            {orders.Error > 0 && (
              <a href={ordersHash({ workflow: name, state: 'Error' })} data-tone="bad">
                <Icon name="alert" /> {orders.Error.toLocaleString('en')} in Error
              </a>
            )}
          </p>
        )}
      </div>
      <StepGraph steps={steps} states={null} label={`The steps of ${name}, version ${version}`} />
      <ScrollBox class="table-box" label={`The policies of ${name}, version ${version}`}>
        <table class="table policies">
          <ColumnHeads titles={['Step', ...policyTitles]} />
          <tbody>
            {steps.map((step) => (
              <PolicyRow key={step.name} step={step} />
            ))}
          </tbody>
        </table>
      </ScrollBox>
    </section>
  );
}

const remedies = { hold: 'wait for an operator', undo: 'undo the order' } as const;

const policyTitles = [
  'Agent',
  'Complete within',
  'Attempts',
  'Cool-down',
  'After a fault',
  'When exhausted',
  'Undo',
] as const;

const agentText = ({ agent, pool, failover }: WorkflowStep) => {
  if (pool === undefined) return agent;
  const members = pool.map((member) => member.agent).join(' or ');
  return failover === undefined ? members : `${members}, undone before another one gets it`;
};

function PolicyRow({ step }: { readonly step: WorkflowStep }) {
  const { policy, conditional } = step;
  const cells: Readonly<Record<(typeof policyTitles)[number], string | number>> = {
    Agent: agentText(step),
    'Complete within': lengthText(policy.completeWithinMs),
    Attempts: policy.retries + 1,
    'Cool-down': coolDownText(policy),
    'After a fault': remedies[policy.onFault],
    'When exhausted': remedies[policy.onExhausted],
    Undo: undoText(step),
  };
  return (
    <tr>
      <th scope="row">
        {step.name}
        {conditional && <span class="soft"> conditional</span>}
      </th>
      {policyTitles.map((title) => (
        <td key={title} data-title={title}>
          {cells[title]}
        </td>
      ))}
    </tr>
  );
}
