const { defineAgent, defineWorkflow, implementAgent, ReeveError } = require('reeve');
const { startLocalReeve } = require('reeve/local');
const z = require('zod');

const greeting = defineAgent({
  name: 'greeting',
  input: z.string(),
  output: z.string(),
  undo: 'unneeded',
});
const hello = defineWorkflow({ name: 'hello', version: 1, details: z.string() })
  .step('greet', { agent: greeting, input: ({ details }) => details })
  .build();

async function main() {
  const reeve = await startLocalReeve({
    workflows: [hello],
    agents: [implementAgent(greeting, { perform: async (name) => `Hello ${name}` })],
    path: ':memory:',
  });
  const order = await reeve.submit(hello, 'world');
  console.log((await order.result()).outputs.greet);
  await reeve.submit(hello, 5).catch((error) => {
    console.log(error instanceof ReeveError, error.code);
  });
  reeve.close();
}
void main();
