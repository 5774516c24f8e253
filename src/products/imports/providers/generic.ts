import type { Reader } from '../contract.ts';
import { directionIn, idIn, momentIn, numberIn, urlIn } from './fields.ts';

/** The published shape, for providers without their own reader. */
export const generic: Reader = (event, data) => ({
  callId: idIn(data, 'id'),
  ended: event === 'call.ended',
  startedAt: momentIn(data, 'started_at'),
  endedAt: momentIn(data, 'ended_at'),
  direction: directionIn(data),
  from: numberIn(data, 'from'),
  to: numberIn(data, 'to'),
  recordingUrl: urlIn(data, 'recording_url'),
});
