import Type from 'typebox';
import { ApiError } from '../../../foundation/platform/errors.ts';

export const Phone = Type.String({
  pattern: '^\\+[1-9]\\d{6,14}$',
  description: 'Phone number in E.164 format.',
  examples: ['+15005550001'],
});
export const IdParams = Type.Object({ id: Type.String({ maxLength: 256 }) });
export const access = { kind: 'key', scope: 'telephony:manage' } as const;

export const carrierMissing = (): ApiError =>
  new ApiError('not_found', 'This server has no carrier for messages; the operator sets TRUNKLINE_CARRIER.');
