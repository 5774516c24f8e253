/** What requests to Speak may say, for the reference pack: read from the schemas that validate them. */

import { saidOf } from '../../../foundation/platform/schema-said.ts';
import { EMOTIONS } from '../../../speech/voices/index.ts';
import { MOST_CHARACTERS, SpeechBody } from './schemas.ts';
import { SPEEDS } from './speaker.ts';
import { NATIVE_RATE, PCM_RATES, PHONE_RATE } from './wire.ts';

const { response_format, speed } = SpeechBody.properties;

export const speakControls = {
  input_characters: { maximum: MOST_CHARACTERS },
  response_formats: { values: response_format.enum, ...saidOf(response_format, 'default') },
  speed: { minimum: SPEEDS.least, maximum: SPEEDS.most, ...saidOf(speed, 'default') },
  emotions: EMOTIONS,
  pcm_sample_rates: { values: PCM_RATES, default: NATIVE_RATE },
  g711_sample_rates: { values: [PHONE_RATE], default: PHONE_RATE },
};
