import type { Delivery, Reader } from '../contract.ts';
import { directionIn, idIn, momentIn, numberIn, urlIn } from './fields.ts';

const lineOf = ({ number }: Delivery['data']): Delivery['data'] =>
  typeof number === 'object' && number !== null ? (number as Delivery['data']) : {};

/** Aircall's call: numeric id, times in Unix seconds, the other side's number in `raw_digits`, the own line in `number`. */
export const aircall: Reader = (event, data) => {
  const direction = directionIn(data);
  const theirs = numberIn(data, 'raw_digits');
  const ours = numberIn(lineOf(data), 'digits');
  return {
    callId: idIn(data, data.id === undefined ? 'call_id' : 'id'),
    ended: event === 'call.ended',
    startedAt: momentIn(data, 'started_at'),
    endedAt: momentIn(data, 'ended_at'),
    direction,
    from: direction === 'outbound' ? ours : theirs,
    to: direction === 'outbound' ? theirs : ours,
    recordingUrl: urlIn(data, 'recording') ?? urlIn(data, 'recording_url') ?? urlIn(data, 'voicemail'),
  };
};
