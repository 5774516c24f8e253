/** What a session of Omni may say, for the reference pack: read from the schemas that validate it. */
import { CALL_RATES, SERVED_LANGUAGES } from '../../calls/index.ts';
import { omni } from '../../media/index.ts';
import { saidOf } from '../../platform/schema-said.ts';
import { ConnectQuery } from './connect.ts';

const { language, voice_instruct } = omni.Configure.properties;

export const omniControls = {
  formats: [ConnectQuery.properties.format.const],
  rates: CALL_RATES,
  configurable_languages: language.anyOf.map((one) => one.const),
  served_languages: SERVED_LANGUAGES,
  voice_instruct: saidOf(voice_instruct, 'maxLength'),
};
