// examples/recipes/saved-draft.ts
import { defineAgent, defineWorkflow } from 'reeve';
import * as z from 'zod';

const draft = z.strictObject({ article: z.string(), text: z.string() });

export const preview = defineAgent({
  name: 'preview',
  input: draft,
  output: z.strictObject({ url: z.url() }),
  undo: 'unneeded',
});

/** The last of the drafts of an article that are saved within 5 s of each other gets a preview, at the latest after a minute. */
export const savedDraft = defineWorkflow({
  name: 'saved-draft',
  version: 1,
  details: draft,
  singleton: {
    key: ({ details: { article } }) => article,
    else: 'debounce',
    quiet: 5_000,
    atMost: 60_000,
  },
})
  .step('render', { agent: preview, input: ({ details }) => details })
  .build();
