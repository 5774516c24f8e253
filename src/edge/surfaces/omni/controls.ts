import { CALL_RATES, SERVED_LANGUAGES } from '../../../conversation/calls/index.ts';
import { constraintsOf } from '../../../foundation/platform/schema-constraints.ts';
import { omni } from '../../../media/wire/index.ts';
import { ConnectQuery } from './connect.ts';

const { language, voice_instruct } = omni.Configure.properties;

export const omniControls = {
  formats: [ConnectQuery.properties.format.const],
  rates: CALL_RATES,
  configurable_languages: language.anyOf.map((one) => one.const),
  served_languages: SERVED_LANGUAGES,
  voice_instruct: constraintsOf(voice_instruct, 'maxLength'),
};
