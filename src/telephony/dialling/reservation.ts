import type { AccessControl, Principal } from '../../foundation/access/contract.ts';
import { newId } from '../../foundation/platform/ids.ts';

/** The call's id determines the reservation's id, so that the dial finds the reservation of the request. */
export const callReservationId = (id: string): string => `hold_${id.slice('tcl_'.length)}`;

export const admitting = (id: string) => ({
  realtime: false,
  resource: id,
  reservationId: callReservationId(id),
});

/**
 * Reserves the first minute of a call before it is accepted; a planned call reserves it at its time. The reservation
 * lasts until the dial. Throws ApiError.
 */
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
