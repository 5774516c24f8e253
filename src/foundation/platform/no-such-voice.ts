import { type ApiError, NoSuchError } from './errors.ts';

/** Unknown, malformed, overlong and foreign voices get the same answer. */
export const noSuchVoice = (): ApiError => new NoSuchError('voice', { code: 'voice_not_found', param: 'id' });
