import { ApiError } from './errors.ts';

/** Unknown, malformed, overlong and foreign voices get the same answer. */
export const noSuchVoice = (): ApiError =>
  new ApiError('voice_not_found', 'There is no such voice.', { param: 'id' });
