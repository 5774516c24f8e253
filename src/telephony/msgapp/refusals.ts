import { ApiError } from '../../foundation/platform/errors.ts';

export const callingDisabled = (): ApiError =>
  new ApiError('calling_disabled', 'calling is disabled for this number: enable it with PUT …/calling', {
    param: 'number_id',
  });

export const gone = (): ApiError => new ApiError('not_found', 'the project of the number was deleted');

export const noPermission = (): ApiError =>
  new ApiError(
    'call_not_permitted',
    'the person has not permitted calls: ask for permission with POST …/call-permissions',
    {
      param: 'to',
    },
  );
