// examples/recipes/workflows.ts
import { optionalStep } from './optional-step.ts';

export const workflows = [optionalStep];
