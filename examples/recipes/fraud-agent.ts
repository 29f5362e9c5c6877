// examples/recipes/fraud-agent.ts
import { httpService, implementAgent } from 'reeve';
import { fraud } from './contracts.ts';

const service = httpService('https://fraud.example', fetch);

export const fraudAgent = implementAgent(fraud, {
  perform: async (input, call) => fraud.output.parse(await service.post('/scores', input, call)),
});
