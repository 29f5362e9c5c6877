/** What surrounds those blocks of TypeScript that show a part of a module. */

/** The surroundings of a block. */
export interface Setting {
  readonly page: string;
  /** A text of the block. */
  readonly of: string;
  /** What the page takes for granted. */
  readonly declares?: string;
  /** What the block is the body of. @default a module */
  readonly inside?: string;
  /** The files beside it, by name. */
  readonly beside?: Readonly<Record<string, string>>;
}

const inStack = 'export function build(this: Stack)';
const ofStack = "import type { Stack } from 'aws-cdk-lib';";

export const settings: readonly Setting[] = [
  {
    page: 'README.md',
    of: "name: 'order'",
    beside: {
      'order.ts': `
        import { defineAgent } from 'reeve';
        import * as z from 'zod';
        const lines = z.array(z.object({ sku: z.string() }));
        export const orderDetailsSchema = z.object({
          lines,
          payment: z.object({ token: z.string() }),
          shipTo: z.string(),
        });
        export const shipping = defineAgent({
          name: 'shipping',
          input: z.object({ shipTo: z.string() }),
          output: z.object({ trackingId: z.string() }),
          undo: 'impossible',
        });
        export const inventory = defineAgent({
          name: 'inventory',
          input: z.object({ lines }),
          output: z.object({ amountCents: z.int() }),
          undo: 'offered',
        });`,
    },
  },
  {
    page: 'README.md',
    of: 'grantSubmit',
    declares: `${ofStack}
      import type { IFunction } from 'aws-cdk-lib/aws-lambda';
      declare const shopFunction: IFunction;`,
    inside: inStack,
  },
  {
    page: 'docs/aws.md',
    of: 'tableStreamArn: streamArn',
    declares: `${ofStack}
      import { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
      declare const streamArn: string;`,
    inside: inStack,
  },
  {
    page: 'docs/aws.md',
    of: 'grantSubmit',
    declares: `${ofStack}
      import type { ITableV2 } from 'aws-cdk-lib/aws-dynamodb';
      import type { IVpc } from 'aws-cdk-lib/aws-ec2';
      import type { IRole } from 'aws-cdk-lib/aws-iam';
      import type { IKey } from 'aws-cdk-lib/aws-kms';
      import type { ISecret } from 'aws-cdk-lib/aws-secretsmanager';
      declare const vpc: IVpc;
      declare const encryptionKey: IKey;
      declare const pspSecret: ISecret;
      declare const charges: ITableV2;
      declare const shop: IRole;`,
    inside: inStack,
  },
  {
    page: 'docs/aws.md',
    of: 'pspKey()',
    declares: `
      declare const input: { readonly cents: number };
      declare function charge(given: typeof input, key: string): Promise<string>;`,
    inside: 'export async function perform()',
  },
  {
    page: 'docs/aws.md',
    of: 'schedulerHandler',
    beside: {
      'workflows.ts': `
        import type { WorkflowDefinition } from 'reeve';
        export declare const workflows: readonly WorkflowDefinition[];`,
    },
  },
];
