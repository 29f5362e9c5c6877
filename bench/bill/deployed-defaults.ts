/** Parameters of a deployment without any, on which the bill depends. */
import * as z from 'zod';
import { settingDefaults } from '#infra/settings/settings.ts';

export const deployedDefaults = z
  .object({ shards: z.number(), sweepMinutes: z.number(), keepDays: z.number() })
  .parse(settingDefaults);
