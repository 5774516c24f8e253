import { ApiError } from '../../foundation/platform/errors.ts';

export const callingDisabled = (): ApiError =>
  new ApiError('calling_disabled', 'calling is off for this number: PUT …/calling turns it on', {
    param: 'number_id',
  });

export const gone = (): ApiError => new ApiError('not_found', 'the project of the number is gone');

export const noPermission = (): ApiError =>
  new ApiError('call_not_permitted', 'the person has not permitted calls: ask by POST …/call-permissions', {
    param: 'to',
  });
