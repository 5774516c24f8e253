import type { AccessControl, Principal } from '../../foundation/access/contract.ts';
import { newId } from '../../foundation/platform/ids.ts';

/** Found again by the call's id: what is held when a call is asked for is held on when it is dialed. */
export const callReservationId = (id: string): string => `hold_${id.slice('tcl_'.length)}`;

export const admitting = (id: string) => ({
  realtime: false,
  resource: id,
  reservationId: callReservationId(id),
});

/** The first minute of a call is held before it is taken on, that of a planned one when its time has come. The hold waits for the
 * dial. Throws ApiError. */
export async function withReservation<T>(
  access: Pick<AccessControl, 'admit'>,
  caller: Principal,
  { schedule_at: scheduledAt }: { readonly schedule_at?: number },
  task: (id: string) => Promise<T>,
): Promise<T> {
  const id = newId('tcl');
  if (scheduledAt !== undefined) return await task(id);
  const admission = await access.admit(caller, 'telephony.call', admitting(id));
  try {
    const made = await task(id);
    admission.handOver();
    return made;
  } finally {
    await admission.release();
  }
}
