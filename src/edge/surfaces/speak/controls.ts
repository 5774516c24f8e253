import { constraintsOf } from '../../../foundation/platform/schema-constraints.ts';
import { EMOTIONS } from '../../../speech/voices/index.ts';
import { NATIVE_RATE, PCM_RATES, PHONE_RATE } from './output-format.ts';
import { MAX_CHARACTERS, SpeechBody } from './schemas.ts';
import { SPEEDS } from './speech-service.ts';

const { response_format, speed } = SpeechBody.properties;

export const speakControls = {
  input_characters: { maximum: MAX_CHARACTERS },
  response_formats: { values: response_format.enum, ...constraintsOf(response_format, 'default') },
  speed: { minimum: SPEEDS.least, maximum: SPEEDS.most, ...constraintsOf(speed, 'default') },
  emotions: EMOTIONS,
  pcm_sample_rates: { values: PCM_RATES, default: NATIVE_RATE },
  g711_sample_rates: { values: [PHONE_RATE], default: PHONE_RATE },
};
