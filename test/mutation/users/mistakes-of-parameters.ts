/** Mistakes in what parameters, and files of settings, are accepted; and in what the description says of requests. */
import { type Mistake, mistake } from '../mistake.ts';

const addresses = 'lib/core/codec/http-url.ts';
const refused = 'test/infra/refused-parameters.test.ts';

export const mistakesOfParameters: readonly Mistake[] = [
  mistake(
    'lib/infra/settings/setting-forms.ts',
    refused,
    'an ARN of a secret without its end stops the synthesis with an error of the CDK',
    '-[A-Za-z0-9]{6}$/',
    '$/',
  ),
  mistake(
    'lib/infra/settings/setting-forms.ts',
    'test/infra/accepted-arns.test.ts',
    'an ARN is accepted that the CDK refuses',
    '-[A-Za-z0-9]{6}$/',
    '-[A-Za-z0-9]{5,}$/',
  ),
  mistake(
    addresses,
    refused,
    'an address with a path is the origin of the token endpoint, and a part of a header',
    '(:\\d{1,5})?$/.test(text)',
    '/.test(text)',
  ),
  mistake(
    addresses,
    refused,
    'the host of an issuer may add to the policy of the pages',
    'hostname: hostForm, ',
    '',
  ),
  mistake(
    'lambdas/config.ts',
    'test/lambdas/config.test.ts',
    'the front door puts any address into the policy of its pages',
    'tokenOrigin: httpsOrigin.nullable()',
    'tokenOrigin: url.nullable()',
  ),
  mistake(
    'lib/core/codec/name-text.ts',
    'test/runtime/channels-config.test.ts',
    'a name that is refused is not told its form',
    'must be $',
    'must be a-z, 0-9 and "-" $',
  ),
  mistake(
    'lib/infra/settings/settings.ts',
    refused,
    'a channel of events may have any name',
    'z.array(nameText)',
    'z.array(z.string())',
  ),
  mistake(
    'lib/http/requests/requests.ts',
    'test/http/description.test.ts',
    'the description has a conditional request that is answered in full',
    '  showActivity: conditional,\n',
    '',
  ),
];
