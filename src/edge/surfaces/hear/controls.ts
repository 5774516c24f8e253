import { constraintsOf } from '../../../foundation/platform/schema-constraints.ts';
import { HEAR_LANGUAGES } from '../../../media/engine/index.ts';
import { StreamQuery } from './stream-query.ts';
import { TranscriptionFields, UPLOAD_FORMATS } from './transcription-fields.ts';

const { endpointing_ms, sample_rate, language, encoding } = StreamQuery.properties;

export const hearControls = {
  languages: [...HEAR_LANGUAGES],
  response_formats: TranscriptionFields.properties.response_format.enum,
  upload_formats: UPLOAD_FORMATS,
  stream: {
    languages: language.enum,
    encodings: [encoding.const],
    sample_rates: { values: sample_rate.enum, ...constraintsOf(sample_rate, 'default') },
    endpointing_ms: constraintsOf(endpointing_ms, 'minimum', 'maximum', 'default'),
  },
};
