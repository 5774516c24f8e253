import { ApiError } from './errors.ts';

/** The one answer for a voice that is unknown, malformed, overlong or another organization's. */
export const noSuchVoice = (): ApiError =>
  new ApiError('voice_not_found', 'There is no such voice.', { param: 'id' });
