import { RECORD_KINDS, type RecordKind } from '../../language/capture/index.ts';
import type { Interlude } from '../session/index.ts';
import { CaptureInterlude, type CaptureListener, type CaptureOptions } from './capture-interlude.ts';
import { RecordInterlude } from './record-interlude.ts';
import type { RecordSource } from './record-source.ts';

/** Returns the dialogue for one value; with `records`, it is one of the customer's. */
export function captureOf(
  order: CaptureOptions,
  records: RecordSource | null,
  listener: CaptureListener,
  informsModel: boolean,
): Interlude {
  const { kind } = order;
  return records === null || !isRecordKind(kind)
    ? new CaptureInterlude(order, listener, informsModel)
    : new RecordInterlude({ ...order, kind, records }, listener, informsModel);
}

export const isRecordKind = (kind: string): kind is RecordKind => RECORD_KINDS.some((one) => one === kind);
